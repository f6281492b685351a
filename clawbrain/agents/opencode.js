// Written by clawbrain: `clawbrain install opencode` makes this file, `--remove` takes it away.
// It asks clawbrain what is worth remembering before a prompt reaches the model. No imports on purpose;
// whatever goes wrong, OpenCode goes on without it.

const RUN = "RUN"
const OPTIONS = "OPTIONS"
const PATIENCE = 2000

const ask = (event, input) =>
  new Promise((resolve) => {
    try {
      const { execFile } = process.getBuiltinModule("child_process")
      const words = [...RUN.slice(1), event, ...OPTIONS]
      const child = execFile(RUN[0], words, { timeout: PATIENCE, cwd: input.cwd }, (error, out) => {
        try {
          resolve(error ? "" : (JSON.parse(out).hookSpecificOutput?.additionalContext ?? ""))
        } catch {
          resolve("")
        }
      })
      child.stdin.on("error", () => {})
      child.stdin.end(JSON.stringify(input))
    } catch {
      resolve("")
    }
  })

export const Clawbrain = async ({ directory }) => {
  const sessions = new Map()
  const session = (id) => {
    if (!sessions.has(id)) {
      const begun = ask("session-start", { session_id: id, cwd: directory })
      sessions.set(id, { begun, recalled: Promise.resolve("") })
    }
    return sessions.get(id)
  }
  return {
    "chat.message": async ({ sessionID }, { parts }) => {
      const prompt = (parts ?? []).flatMap((part) => (part.type === "text" && !part.synthetic ? [part.text] : []))
      const known = session(sessionID)
      await known.begun
      known.recalled = ask("prompt", { session_id: sessionID, cwd: directory, prompt: prompt.join("\n") })
    },
    "experimental.chat.system.transform": async ({ sessionID }, output) => {
      const known = sessions.get(sessionID)
      if (!known) return
      for (const text of await Promise.all([known.begun, known.recalled])) if (text) output.system.push(text)
    },
    event: async ({ event }) => {
      const id = event.properties?.sessionID
      if (event.type === "session.idle" && sessions.has(id)) await ask("stop", { session_id: id, cwd: directory })
      if (event.type === "session.deleted") sessions.delete(event.properties?.info?.id)
    },
  }
}
