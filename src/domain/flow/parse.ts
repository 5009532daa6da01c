import type { Flow, Widget, WidgetType } from './document.ts'
import { type FieldReader, isIntegerWithin, isRecord, quoted, readFields } from './fields.ts'
import { limits, maxNodes } from './limits.ts'
import { problemOfFlow } from './validate.ts'
import { agentId, e164, ivrOptions, label, numberId, targets, timetable } from './widget-values.ts'

/** Validates everything that needs no knowledge of the company, and fills in defaults. */
export function parseFlow(value: unknown): { flow: Flow } | { problem: string } {
  if (!isRecord(value)) return { problem: 'A flow must be an object with start and nodes' }
  const { version = 1, start, nodes, ...rest } = value
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined) return { problem: `${quoted(unknown)} is no field of a flow` }
  if (!isIntegerWithin(version, 1, Number.MAX_SAFE_INTEGER)) return { problem: 'version must be an Integer from 1' }
  if (typeof start !== 'string') return { problem: 'start must be the id of a node' }
  if (!isRecord(nodes)) return { problem: 'nodes must be an object from node id to node' }

  const widgets = parseNodes(nodes)
  if ('problem' in widgets) return widgets
  const flow = { version, start, nodes: widgets.nodes }
  const problem = problemOfFlow(flow)
  return problem === undefined ? { flow } : { problem }
}

/** A stored flow was validated when it was published; it is not validated again. */
export function readFlow(text: string): Flow {
  return JSON.parse(text) as Flow
}

function parseNodes(source: Record<string, unknown>): { nodes: Record<string, Widget> } | { problem: string } {
  const entries = Object.entries(source)
  if (entries.length > maxNodes) return { problem: `A flow may have at most ${maxNodes} nodes` }
  const widgets: [string, Widget][] = []
  for (const [id, node] of entries) {
    if (!isNodeId(id)) return { problem: `Node ${quoted(id)}: an id is made of 1 to 32 of a-z, 0-9, _ and -` }
    if (!isRecord(node)) return { problem: `Node "${id}": it must be an object with a type` }
    const fields = readFields(node, `Node "${id}"`)
    const widget = readWidget(fields)
    const problem = fields.problem()
    if (problem !== undefined) return { problem }
    widgets.push([id, widget])
  }
  return { nodes: Object.fromEntries(widgets) }
}

/** `__proto__` matches the pattern but is not a safe object key. */
function isNodeId(id: string): boolean {
  return /^[a-z0-9_-]{1,32}$/.test(id) && id !== '__proto__'
}

function readWidget(fields: FieldReader): Widget {
  const given = fields.take('type')
  const type = widgetTypes.find((known) => known === given)
  if (type) return readers[type](fields)
  fields.complain(`type must be one of ${widgetTypes.join(', ')}`)
  return { type: 'hang_up', media: null }
}

const widgetTypes: WidgetType[] = [
  'time_rule',
  'audio',
  'ivr',
  'waiting',
  'ring_to',
  'voicemail',
  'forward',
  'go_to_number',
  'callback',
  'ai_agent',
  'hang_up',
]

const readers: { [Type in WidgetType]: (fields: FieldReader) => Extract<Widget, { type: Type }> } = {
  time_rule: (f) => ({
    type: 'time_rule',
    ...label(f),
    ...timetable(f),
    branches: { open: f.branch('open'), otherwise: f.branch('otherwise') },
  }),
  audio: (f) => ({ type: 'audio', ...label(f), media: f.media(), branches: { next: f.branch('next') } }),
  ivr: (f) => {
    const options = ivrOptions(f)
    return {
      type: 'ivr',
      ...label(f),
      media: f.media(),
      options,
      timeout_seconds: f.integer('timeout_seconds', limits.ivr.timeout_seconds),
      tries: f.integer('tries', limits.ivr.tries),
      branches: {
        ...Object.fromEntries(options.map(({ key }) => [key, f.branch(key)])),
        fallback: f.branch('fallback'),
      },
    }
  },
  waiting: (f) => {
    const callback = f.flag('callback')
    return {
      type: 'waiting',
      ...label(f),
      media: f.media(),
      announce_position: f.flag('announce_position'),
      announce_every_seconds: f.integer('announce_every_seconds', limits.waiting.announce_every_seconds),
      callback,
      seconds: f.integer('seconds', limits.waiting.seconds),
      branches: {
        next: f.branch('next'),
        ...(callback ? { callback: f.branch('callback') } : f.optionalBranch('callback')),
      },
    }
  },
  ring_to: (f) => ({
    type: 'ring_to',
    ...label(f),
    targets: targets(f),
    strategy: f.oneOf('strategy', ['simultaneous', 'random', 'longest_idle', 'one_by_one'], 'simultaneous'),
    ...(f.take('ring_seconds') === undefined
      ? {}
      : { ring_seconds: f.integer('ring_seconds', limits.ring_to.ring_seconds) }),
    max_wait_seconds: f.integer('max_wait_seconds', limits.ring_to.max_wait_seconds),
    branches: { no_answer: f.branch('no_answer') },
  }),
  voicemail: (f) => ({
    type: 'voicemail',
    ...label(f),
    media: f.media(),
    max_seconds: f.integer('max_seconds', limits.voicemail.max_seconds),
    silence_seconds: f.integer('silence_seconds', limits.voicemail.silence_seconds),
  }),
  forward: (f) => ({
    type: 'forward',
    ...label(f),
    number: e164(f),
    ring_seconds: f.integer('ring_seconds', limits.forward.ring_seconds),
    caller_id: f.oneOf('caller_id', ['number', 'caller'], 'number'),
    branches: f.optionalBranch('no_answer'),
  }),
  go_to_number: (f) => ({ type: 'go_to_number', ...label(f), number_id: numberId(f) }),
  callback: (f) => ({
    type: 'callback',
    ...label(f),
    media: f.media(),
    ...(f.take('targets') === undefined ? {} : { targets: targets(f) }),
    attempts: f.integer('attempts', limits.callback.attempts),
    retry_seconds: f.integer('retry_seconds', limits.callback.retry_seconds),
    expires_seconds: f.integer('expires_seconds', limits.callback.expires_seconds),
  }),
  ai_agent: (f) => ({
    type: 'ai_agent',
    ...label(f),
    agent_id: agentId(f),
    branches: { escalated: f.branch('escalated'), unavailable: f.branch('unavailable') },
  }),
  hang_up: (f) => ({ type: 'hang_up', ...label(f), media: f.media() }),
}
