import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isRecord } from './fields.ts'
import { parseFlow } from './parse.ts'

const example = {
  version: 3,
  start: 'hours',
  nodes: {
    hours: {
      type: 'time_rule',
      name: 'Opening hours',
      mode: 'custom',
      hours: { mon: [['09:00', '18:00']] },
      closed_dates: [],
      branches: { open: 'hello', otherwise: 'night' },
    },
    hello: { type: 'audio', media: null, branches: { next: 'wait' } },
    wait: { type: 'waiting', media: null, callback: true, branches: { next: 'sales', callback: 'later' } },
    sales: {
      type: 'ring_to',
      targets: [{ type: 'team', id: 3 }],
      strategy: 'longest_idle',
      max_wait_seconds: 300,
      branches: { no_answer: 'box' },
    },
    later: { type: 'callback', media: null },
    box: { type: 'voicemail', media: null },
    night: { type: 'voicemail', media: null },
  },
}

const end = { type: 'hang_up' }
const drawn = (nodes: object) => ({ start: 'start', nodes })

function problemOf(value: unknown): string | undefined {
  const parsed = parseFlow(value)
  return 'problem' in parsed ? parsed.problem : undefined
}

function soleWidget(node: object) {
  const parsed = parseFlow(drawn({ start: node, end }))
  return 'flow' in parsed ? parsed.flow.nodes.start : parsed.problem
}

describe('a flow that is well drawn', () => {
  test('the documented example is accepted', () => {
    expect(parseFlow(example)).toEqual({ flow: expect.objectContaining({ version: 3, start: 'hours' }) })
  })

  test.each([
    [
      { type: 'time_rule', mode: 'open', branches: { open: 'end', otherwise: 'end' } },
      { mode: 'open', closed_dates: [], hours: expect.objectContaining({ sun: [['00:00', '24:00']] }) },
    ],
    [
      { type: 'ivr', options: [{ key: '#', title: 'Sales' }], branches: { '#': 'end', fallback: 'end' } },
      { media: null, timeout_seconds: 5, tries: 3 },
    ],
    [
      { type: 'waiting', branches: { next: 'end' } },
      { media: null, announce_position: false, announce_every_seconds: 60, callback: false, seconds: 0 },
    ],
    [
      { type: 'ring_to', targets: [{ type: 'user', id: '7' }], branches: { no_answer: 'end' } },
      { targets: [{ type: 'user', id: 7 }], strategy: 'simultaneous', max_wait_seconds: 0 },
    ],
    [
      { type: 'forward', number: '+33176360695', branches: { no_answer: 'end' } },
      { ring_seconds: 30, caller_id: 'number' },
    ],
    [{ type: 'ai_agent', agent_id: 'a1', branches: { escalated: 'end', unavailable: 'end' } }, { agent_id: 'a1' }],
  ])('%j gets its defaults', (node, defaults) => {
    expect(soleWidget(node)).toEqual({ ...node, ...defaults })
  })

  test.each([
    [{ type: 'voicemail' }, { media: null, max_seconds: 120, silence_seconds: 5 }],
    [{ type: 'callback' }, { media: null, attempts: 3, retry_seconds: 300, expires_seconds: 86_400 }],
    [{ type: 'go_to_number', number_id: '12' }, { number_id: 12 }],
    [
      { type: 'forward', number: '+33176360695' },
      { ring_seconds: 30, caller_id: 'number', branches: {} },
    ],
    [{ type: 'hang_up', name: 'Bye', position: { x: 1, y: -2.5 } }, { media: null }],
  ])('%j may stand alone and gets its defaults', (node, defaults) => {
    expect(parseFlow(drawn({ start: node }))).toEqual({
      flow: { version: 1, start: 'start', nodes: { start: { ...node, ...defaults } } },
    })
  })

  test('a node may be called constructor', () => {
    const nodes = { start: { type: 'audio', branches: { next: 'constructor' } }, constructor: end }

    expect(problemOf(drawn(nodes))).toBeUndefined()
  })

  test.each([
    ['an ivr', { type: 'ivr', options: [{ key: '1', title: 'Again' }], branches: { '1': 'start', fallback: 'end' } }],
    [
      'a queue',
      { type: 'ring_to', targets: [{ type: 'user', id: 1 }], max_wait_seconds: 1, branches: { no_answer: 'start' } },
    ],
    ['a waiting time', { type: 'waiting', seconds: 1, branches: { next: 'start' } }],
  ])('a circle that passes %s is allowed', (_, wait) => {
    const start = { type: 'time_rule', mode: 'open', branches: { open: 'wait', otherwise: 'end' } }

    expect(problemOf(drawn({ start, wait, end }))).toBeUndefined()
  })
})

describe('a flow that is badly drawn is refused with the node and the rule', () => {
  const audio = (next: string, more = {}) => ({ type: 'audio', branches: { next }, ...more })
  const ringTo = (more: object) => ({
    type: 'ring_to',
    targets: [{ type: 'user', id: 1 }],
    branches: { no_answer: 'end' },
    ...more,
  })
  const ivr = (options: unknown) => ({ type: 'ivr', options, branches: { '1': 'end', fallback: 'end' } })
  const rule = (more: object) => ({ type: 'time_rule', branches: { open: 'end', otherwise: 'end' }, ...more })

  test.each([
    ['unknown start', { start: 'nowhere', nodes: { end } }, 'there is no node "nowhere"'],
    ['start is inherited', { start: 'constructor', nodes: { end } }, 'there is no node "constructor"'],
    ['no start', { nodes: { end } }, 'start must be'],
    ['no nodes', { start: 'start', nodes: {} }, 'start must be'],
    ['nodes is a list', { start: '0', nodes: [end] }, 'nodes must be an object'],
    ['unknown field of the flow', { ...example, colour: 'red' }, '"colour" is no field of a flow'],
    ['odd version', { ...example, version: '3' }, 'version must be'],
    ['too many nodes', drawn(Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`n${n}`, end]))), 'at most 200'],
    ['node id', drawn({ start: audio('Box'), Box: end }), 'Node "Box": an id'],
    ['node id __proto__', JSON.parse('{"start": "__proto__", "nodes": {"__proto__": {"type": "hang_up"}}}'), 'an id'],
    ['node is no object', drawn({ start: 'hang_up' }), 'Node "start": it must be an object'],
    ['unknown type', drawn({ start: { type: 'toString' } }), 'Node "start": type must be one of'],
    ['unknown field', drawn({ start: { ...end, volume: 3 } }), 'Node "start": "volume" is no field'],
    ['field of another type', drawn({ start: { ...end, tries: 3 } }), '"tries" is no field'],
    ['missing branch', drawn({ start: { type: 'audio' } }), 'Node "start": the branch next is not set'],
    ['inherited branch', drawn({ start: audio('end', { branches: Object.create({ next: 'end' }) }), end }), 'not set'],
    ['branch to nowhere', drawn({ start: audio('gone') }), 'Node "start": the branch next leads to "gone"'],
    ['branch to toString', drawn({ start: audio('toString') }), 'leads to "toString"'],
    ['unknown branch', drawn({ start: { ...end, branches: { next: 'start' } } }), '"next" is no branch'],
    ['branches null', drawn({ start: { ...end, branches: null } }), 'branches must be an object'],
    [
      'branch of a key without option',
      drawn({
        start: { ...ivr([{ key: '1', title: 'x' }]), branches: { '1': 'end', '2': 'end', fallback: 'end' } },
        end,
      }),
      '"2" is no branch',
    ],
    [
      'key without branch',
      drawn({
        start: ivr([
          { key: '1', title: 'x' },
          { key: '2', title: 'y' },
        ]),
        end,
      }),
      'the branch 2 is not set',
    ],
    [
      'same key twice',
      drawn({
        start: ivr([
          { key: '1', title: 'x' },
          { key: '1', title: 'y' },
        ]),
        end,
      }),
      'must differ',
    ],
    ['no options', drawn({ start: ivr([]), end }), '1 to 12'],
    ['odd key', drawn({ start: ivr([{ key: '10', title: 'x' }]), end }), 'an option must be'],
    ['unreachable', drawn({ start: end, island: end }), 'Node "island": no way'],
    ['circle', drawn({ start: audio('b'), b: audio('start') }), 'circle without a wait'],
    ['circle of one', drawn({ start: audio('start') }), 'Node "start": it is on a circle'],
    [
      'callback switched on without branch',
      drawn({ start: { type: 'waiting', callback: true, branches: { next: 'end' } }, end }),
      'the branch callback is not set',
    ],
    [
      'callback to another type',
      drawn({ start: { type: 'waiting', callback: true, branches: { next: 'end', callback: 'end' } }, end }),
      'must lead to a callback node',
    ],
    ['custom without hours', drawn({ start: rule({ closed_dates: [] }), end }), 'hours are mandatory'],
    ['custom without dates', drawn({ start: rule({ hours: {} }), end }), 'closed_dates are mandatory'],
    [
      'bad hours',
      drawn({ start: rule({ hours: { mon: [['9', '18']] }, closed_dates: [] }), end }),
      'Node "start": hours.mon[0]',
    ],
    ['nobody to ring', drawn({ start: ringTo({ targets: [] }), end }), '1 to 50'],
    ['odd target', drawn({ start: ringTo({ targets: [{ type: 'user', id: 0 }] }), end }), 'a target must be'],
    ['odd strategy', drawn({ start: ringTo({ strategy: 'all' }), end }), 'strategy must be one of'],
    ['ring time', drawn({ start: ringTo({ ring_seconds: 4 }), end }), 'ring_seconds must be an Integer from 5 to 120'],
    ['fraction', drawn({ start: ringTo({ max_wait_seconds: 1.5 }), end }), 'max_wait_seconds must be an Integer'],
    ['long name', drawn({ start: { ...end, name: 'x'.repeat(65) } }), 'name must be'],
    ['position', drawn({ start: { ...end, position: { x: 1 } } }), 'position must be'],
    ['media', drawn({ start: { ...end, media: 'file:///etc/passwd' } }), 'media must be'],
    ['forward', drawn({ start: { type: 'forward', number: '0176360695' } }), 'E.164'],
    ['number id', drawn({ start: { type: 'go_to_number', number_id: 'x' } }), 'number_id must be'],
    [
      'agent id',
      drawn({ start: { type: 'ai_agent', branches: { escalated: 'end', unavailable: 'end' } }, end }),
      'agent_id must be',
    ],
  ])('%s', (_, value, rule) => {
    expect(problemOf(value)).toContain(rule)
  })
})

describe('hostile documents', () => {
  test('any JSON gets an answer, and what is accepted is accepted again unchanged', () => {
    fc.assert(
      fc.property(anyDamagedExample, (value) => {
        const parsed = parseFlow(value)
        if ('problem' in parsed) expect(parsed.problem.length).toBeLessThan(300)
        else expect(parseFlow(parsed.flow)).toEqual(parsed)
      }),
      { numRuns: 1500 },
    )
  })

  test('JSON that is nothing like a flow is refused', () => {
    fc.assert(fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => problemOf(value) !== undefined))
  })

  test('a document that contains itself is refused', () => {
    const knot: Record<string, unknown> = { start: 'start' }
    knot.nodes = knot
    knot.branches = knot

    expect(problemOf(knot)).toBeDefined()
  })

  test('parsing leaves the given document alone', () => {
    const before = structuredClone(example)

    parseFlow(example)

    expect(example).toEqual(before)
  })

  test('a maze of 200 nodes with countless ways through it is judged', () => {
    const ids = Array.from({ length: 199 }, (_, n) => `n${n}`)
    const keys = [...'0123456789*#']
    const maze = Object.fromEntries(
      ids.map((id, n) => [
        id,
        {
          type: 'time_rule',
          mode: 'open',
          branches: { open: ids[n + 1] ?? 'end', otherwise: ids[n + 2] ?? 'end' },
        },
      ]),
    )
    const menu = {
      type: 'ivr',
      options: keys.map((key) => ({ key, title: key })),
      branches: Object.fromEntries([...keys, 'fallback'].map((key) => [key, 'n0'])),
    }

    expect(problemOf({ start: 'n0', nodes: { ...maze, end } })).toBeUndefined()
    expect(problemOf({ start: 'end', nodes: { ...maze, end: menu } })).toBeUndefined()
  })
})

// The example with one value, anywhere, replaced or added.
const anyDamagedExample = fc
  .tuple(
    fc.array(fc.nat(), { minLength: 1, maxLength: 6 }),
    fc.option(fc.constantFrom('__proto__', 'constructor', 'media', 'next', 'seconds'), { nil: undefined }),
    fc.oneof(
      fc.jsonValue(),
      fc.constantFrom('box', 'hello', 'wait', 'hours', 'later', 'audio', 'voicemail', 5, 60, true, null),
    ),
  )
  .map(([way, addedKey, value]) => damage(example, way, addedKey, value))

function damage(whole: unknown, way: number[], addedKey: string | undefined, value: unknown): unknown {
  const [step, ...rest] = way
  if (step === undefined || !isRecord(whole)) return value
  const entries = Object.entries(whole)
  if (addedKey !== undefined && rest.length === 0) return Object.fromEntries([...entries, [addedKey, value]])
  if (entries.length === 0) return value
  return Object.fromEntries(
    entries.map(([key, part], n) => [key, n === step % entries.length ? damage(part, rest, addedKey, value) : part]),
  )
}
