// Written by clawbrain: `clawbrain install opencode` makes this file, `--remove` takes it away.
// It asks clawbrain what is worth remembering before a prompt reaches the model. No imports on purpose;
// whatever goes wrong, OpenCode goes on without it.

const RUN = "RUN"
const OPTIONS = "OPTIONS"
const PATIENCE = 2000
const ENDS = ["session.execution.succeeded", "session.execution.failed", "session.execution.interrupted"]

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

// The sessions that were prompted in a folder: each is told the briefing, and what its latest prompt recalled.
const sessionsIn = (cwd, announce) => {
  const sessions = new Map()
  const begin = (id) => {
    const session = { begun: ask("session-start", { session_id: id, cwd }).then(text), recalled: "" }
    sessions.set(id, session)
    return session
  }
  return {
    prompted: (id, prompt) => {
      const session = sessions.get(id) ?? begin(id)
      const asked = session.begun.then(() => ask("prompt", { session_id: id, cwd, prompt }))
      session.recalled = asked.then(text)
      asked.then((answer) => announce(answer.systemMessage))
    },
    told: async (id) => {
      const { begun, recalled } = sessions.get(id) ?? {}
      return (await Promise.all([begun, recalled])).filter(Boolean)
    },
    ended: async (id) => {
      if (sessions.has(id)) await ask("stop", { session_id: id, cwd })
    },
    forgotten: (id) => sessions.delete(id),
  }
}

// OpenCode 1 calls this.
const server = async ({ client, directory }) => {
  const sessions = sessionsIn(directory, async (message) => {
    try {
      if (message) await client?.tui?.showToast?.({ body: { message, variant: "info" } })
    } catch {}
  })
  return {
    "chat.message": async ({ sessionID }, { parts }) => {
      const prompt = (parts ?? []).flatMap((part) => (part.type === "text" && !part.synthetic ? [part.text] : []))
      sessions.prompted(sessionID, prompt.join("\n"))
    },
    "experimental.chat.system.transform": async ({ sessionID }, output) => {
      output.system.push(...(await sessions.told(sessionID)))
    },
    event: async ({ event }) => {
      if (event.type === "session.idle") await sessions.ended(event.properties?.sessionID)
      if (event.type === "session.deleted") sessions.forgotten(event.properties?.info?.id)
    },
  }
}

// OpenCode 2 calls this, and what it returns when the plugin ends. A plugin cannot show the person a line there.
const setup = async (ctx) => {
  const sessions = sessionsIn(ctx.location.directory, () => {})
  await ctx.session.hook("prompt", (event) => sessions.prompted(event.sessionID, event.prompt?.text ?? ""))
  await ctx.session.hook("context", async (event) => {
    for (const said of await sessions.told(event.sessionID)) event.system.push({ type: "text", text: said })
  })
  const stop = new AbortController()
  const follow = async () => {
    for await (const { type, data } of ctx.event.subscribe({ signal: stop.signal })) {
      if (ENDS.includes(type)) await sessions.ended(data?.sessionID)
      if (type === "session.deleted") sessions.forgotten(data?.sessionID)
    }
  }
  follow().catch(() => {})
  return () => stop.abort()
}

export default { id: "clawbrain", setup, server }
