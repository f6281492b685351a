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
          resolve(error ? {} : JSON.parse(out))
        } catch {
          resolve({})
        }
      })
      child.stdin.on("error", () => {})
      child.stdin.end(JSON.stringify(input))
    } catch {
      resolve({})
    }
  })

const text = (answer) => answer.hookSpecificOutput?.additionalContext ?? ""

// One line for the person about what was recalled, where this OpenCode can show one.
const announce = async (client, answer) => {
  try {
    if (answer.systemMessage) await client?.tui?.showToast?.({ body: { message: answer.systemMessage, variant: "info" } })
  } catch {}
}

export const Clawbrain = async ({ client, directory }) => {
  const sessions = new Map()
  const session = (id) => {
    if (!sessions.has(id)) {
      const begun = ask("session-start", { session_id: id, cwd: directory }).then(text)
      sessions.set(id, { begun, recalled: Promise.resolve("") })
    }
    return sessions.get(id)
  }
  return {
    "chat.message": async ({ sessionID }, { parts }) => {
      const prompt = (parts ?? []).flatMap((part) => (part.type === "text" && !part.synthetic ? [part.text] : []))
      const known = session(sessionID)
      await known.begun
      const asked = ask("prompt", { session_id: sessionID, cwd: directory, prompt: prompt.join("\n") })
      known.recalled = asked.then(text)
      asked.then((answer) => announce(client, answer))
    },
    "experimental.chat.system.transform": async ({ sessionID }, output) => {
      const known = sessions.get(sessionID)
      if (!known) return
      for (const said of await Promise.all([known.begun, known.recalled])) if (said) output.system.push(said)
    },
    event: async ({ event }) => {
      const id = event.properties?.sessionID
      if (event.type === "session.idle" && sessions.has(id)) await ask("stop", { session_id: id, cwd: directory })
      if (event.type === "session.deleted") sessions.delete(event.properties?.info?.id)
    },
  }
}
