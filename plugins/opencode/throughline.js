// Throughline for opencode: tells `throughline hook` what happens, and puts what it answers into the
// system prompt. Written by `throughline init --agent opencode`; `throughline uninstall` removes it.
import { spawn, spawnSync } from "node:child_process"

const PROGRAM = "throughline"

// What a session was told is said again in each of its requests; the oldest goes when it gets long.
const PAGES = 24
const CHARS = 24_000
const LONGEST = 200_000
// What an agent is asked about one prompt is over with the next.
const ASKED = /^Throughline: if the user just .*$/m
const PATIENCE = { stdio: ["pipe", "pipe", "ignore"], timeout: 5_000, windowsHide: true }

export const Throughline = async ({ client, directory }) => {
  const sessions = new Map()

  const payload = (hook, rest) => JSON.stringify({ hook, directory, ...rest })
  const args = (hook) => ["hook", hook, "--agent", "opencode"]
  const context = (said) => {
    try {
      return said ? (JSON.parse(said).context ?? "") : ""
    } catch {
      return ""
    }
  }

  // Asks, and waits. Whatever goes wrong, opencode goes on.
  const ask = (hook, rest) =>
    new Promise((resolve) => {
      try {
        const child = spawn(PROGRAM, args(hook), PATIENCE)
        let said = ""
        child.stdout.on("data", (data) => (said += data))
        child.on("error", () => resolve(""))
        child.on("close", () => resolve(context(said)))
        child.stdin.on("error", () => {})
        child.stdin.end(payload(hook, rest))
      } catch {
        resolve("")
      }
    })

  // Tells, and holds everything up for it: opencode may be about to leave.
  const tell = (hook, rest) => {
    try {
      spawnSync(PROGRAM, args(hook), { ...PATIENCE, input: payload(hook, rest) })
    } catch {}
  }

  const keep = (session, page) => {
    if (!page) return
    session.pages.push(page)
    const long = () => session.pages.reduce((sum, one) => sum + one.length, 0) > CHARS
    while (session.pages.length > 1 && (session.pages.length > PAGES || long())) session.pages.shift()
  }

  // A session that was not met before: somebody's own, or a helper's, whose prompts its agent wrote.
  // `helper` is the session of that agent.
  const meet = async (id) => {
    const known = sessions.get(id)
    if (known) return known
    const session = { pages: [], helper: undefined, answer: undefined, waiting: undefined }
    sessions.set(id, session)
    try {
      const found = await client.session.get({ path: { id } })
      session.helper = found?.data?.parentID
    } catch {}
    if (session.helper) return session
    let said = []
    try {
      said = (await client.session.messages({ path: { id } }))?.data ?? []
    } catch {}
    const hook = said.length ? "session.resumed" : "event:session.created"
    keep(session, await ask(hook, { input: { sessionID: id } }))
    return session
  }

  const text = (value) => (typeof value === "string" ? value.slice(0, LONGEST) : value)

  return {
    "chat.message": async (input, output) => {
      const session = await meet(input.sessionID)
      session.pages = session.pages.map((page) => page.replace(ASKED, "").trim()).filter(Boolean)
      const parts = output.parts
        .filter((part) => part.type === "text")
        .map((part) => ({ type: part.type, text: part.text, synthetic: part.synthetic, ignored: part.ignored }))
      const told = session.helper
        ? { input: { sessionID: session.helper, helperID: input.sessionID }, output: { parts } }
        : { input: { sessionID: input.sessionID }, output: { parts } }
      keep(session, await ask(session.helper ? "helper.message" : "chat.message", told))
    },

    "experimental.chat.system.transform": async (input, output) => {
      const session = sessions.get(input.sessionID)
      await session?.waiting
      const pages = session?.pages ?? []
      // A title needs no memory.
      if (!pages.length || /^You are a title generator/.test(output.system[0] ?? "")) return
      output.system.push(pages.join("\n"))
    },

    "tool.execute.before": async (input, output) => {
      const session = await meet(input.sessionID)
      keep(session, await ask("tool.execute.before", { input, output: { args: output.args } }))
    },

    "tool.execute.after": async (input, output) => {
      const { title, metadata, content, isError } = output ?? {}
      const exit = metadata?.exit
      const came = { title, output: text(output?.output), content, isError, metadata: { exit } }
      await ask("tool.execute.after", { input, output: came })
    },

    "experimental.session.compacting": async (input) => {
      await ask("experimental.session.compacting", { input: { sessionID: input.sessionID } })
    },

    event: async ({ event }) => {
      const about = event.properties ?? {}
      const id = about.sessionID ?? about.info?.sessionID ?? about.part?.sessionID
      const session = sessions.get(id)
      if (!session || session.helper) return
      if (event.type === "message.updated" && about.info?.role === "assistant" && !about.info.summary) {
        if (session.answer?.message !== about.info.id) {
          session.answer = { message: about.info.id, parts: new Map() }
        }
      } else if (event.type === "message.part.updated") {
        const part = about.part
        if (part.type === "text" && !part.synthetic && part.messageID === session.answer?.message) {
          session.answer.parts.set(part.id, part.text)
        }
      } else if (event.type === "session.idle") {
        const said = [...(session.answer?.parts.values() ?? [])].join("\n")
        session.answer = undefined
        if (said) tell("event:session.idle", { input: { sessionID: id }, text: text(said) })
      } else if (event.type === "session.compacted") {
        session.waiting = ask("event:session.compacted", { input: { sessionID: id } }).then((page) => {
          if (page) session.pages = [page]
        })
      }
    },

    dispose: async () => {
      for (const [id, session] of sessions) {
        if (!session.helper) tell("dispose", { input: { sessionID: id } })
      }
    },
  }
}
