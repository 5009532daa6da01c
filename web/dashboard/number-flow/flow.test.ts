import { describe, expect, test } from 'vitest'
import type { TraceEntry } from '../parts/trace.ts'
import { summaryOf } from './catalogue.ts'
import {
  addWidget,
  changeWidget,
  copyWidget,
  type Flow,
  placeWidgets,
  readFlow,
  removeWidgets,
  sameFlow,
  setBranch,
  type Widget,
} from './flow.ts'
import { begin, step } from './history.ts'
import { layOut, widgetWidth } from './layout.ts'
import { soundName } from './sounds.ts'
import { callPathThrough, sentenceOf } from './trace.ts'
import { issueFromServer } from './validate.ts'

const menu: Widget = {
  type: 'ivr',
  media: null,
  options: [
    { key: '1', title: 'Sales' },
    { key: '2', title: 'Support' },
  ],
  timeout_seconds: 5,
  tries: 3,
  branches: { '1': 'box', '2': 'ring', fallback: 'box' },
}
const ring: Widget = {
  type: 'ring_to',
  targets: [{ type: 'team', id: 1 }],
  strategy: 'simultaneous',
  max_wait_seconds: 30,
  branches: { no_answer: 'menu' },
}
const box: Widget = { type: 'voicemail', media: null, max_seconds: 120, silence_seconds: 5 }
const flow: Flow = { start: 'menu', nodes: { menu, ring, box } }

describe('a change of the drawing', () => {
  test('adds a widget under a name of its own, and leaves the old drawing as it was', () => {
    const { flow: next, id } = addWidget(flow, 'ring_to')

    expect(id).toBe('ring_2')
    expect(Object.keys(next.nodes)).toEqual(['menu', 'ring', 'box', 'ring_2'])
    expect(Object.keys(flow.nodes)).toHaveLength(3)
  })

  test('the first widget of an empty drawing is where calls begin', () => {
    expect(addWidget({ start: '', nodes: {} }, 'audio').flow.start).toBe('audio')
  })

  test('takes the branches to a removed widget along', () => {
    const next = removeWidgets(flow, ['box'])

    expect(next.nodes.menu?.branches).toEqual({ '2': 'ring' })
  })

  test('a key that is taken out of a menu takes its branch along', () => {
    const next = changeWidget(flow, 'menu', { ...menu, options: [{ key: '1', title: 'Sales' }] } as Widget)

    expect(next.nodes.menu?.branches).toEqual({ '1': 'box', fallback: 'box' })
  })

  test('sets a branch and takes it away', () => {
    const set = setBranch(flow, 'ring', 'no_answer', 'box')

    expect(set.nodes.ring?.branches).toEqual({ no_answer: 'box' })
    expect(setBranch(set, 'ring', 'no_answer', undefined).nodes.ring?.branches).toEqual({})
  })

  test('copies a widget with all its settings', () => {
    const copy = copyWidget(flow, 'menu')

    expect(copy?.id).toBe('ivr')
    expect(copy?.flow.nodes.ivr).toEqual(menu)
  })
})

describe('what is stored', () => {
  test('is read with what a draft lacks filled in', () => {
    expect(readFlow({ start: 'a', nodes: { a: { type: 'voicemail' } } })?.nodes.a).toEqual(box)
  })

  test('is no flow when a widget is unknown', () => {
    expect(readFlow({ start: 'a', nodes: { a: { type: 'teleport' } } })).toBeUndefined()
    expect(readFlow('nothing')).toBeUndefined()
  })

  test('is the same whatever the order of its keys', () => {
    expect(sameFlow(flow, { nodes: { box, ring, menu: { ...menu } }, start: 'menu' })).toBe(true)
    expect(sameFlow(flow, placeWidgets(flow, { box: { x: 1, y: 2 } }))).toBe(false)
  })
})

describe('undo', () => {
  test('goes back one step, and forward again', () => {
    const changed = step(begin(flow), { kind: 'change', flow: removeWidgets(flow, ['box']) })

    const undone = step(changed, { kind: 'undo' })

    expect(undone.present).toBe(flow)
    expect(step(undone, { kind: 'redo' }).present).toBe(changed.present)
  })

  test('takes what is typed into one widget as one step', () => {
    const named = (name: string) => changeWidget(flow, 'box', { ...box, name })
    const first = step(begin(flow), { kind: 'change', flow: named('A'), group: 'widget box' })
    const second = step(first, { kind: 'change', flow: named('AB'), group: 'widget box' })

    expect(step(second, { kind: 'undo' }).present).toBe(flow)
  })
})

describe('the layout', () => {
  test('places every widget below its predecessors, except for loops', () => {
    const places = layOut(flow)

    expect(places.menu?.y).toBeLessThan(places.ring?.y ?? 0)
    expect(places.menu?.y).toBeLessThan(places.box?.y ?? 0)
  })

  test('lets nothing overlap, however large the drawing', () => {
    const nodes: Record<string, Widget> = { start: { type: 'audio', media: null, branches: { next: 'n0' } } }
    for (let i = 0; i < 60; i++)
      nodes[`n${i}`] = { ...menu, branches: { '1': `n${i * 2 + 1}`, '2': `n${i * 2 + 2}`, fallback: 'start' } }
    const places = Object.entries(layOut({ start: 'start', nodes }))

    expect(places).toHaveLength(61)
    const width = widgetWidth(menu)
    for (const [id, place] of places)
      for (const [other, there] of places)
        if (id < other && place.y === there.y) expect(Math.abs(place.x - there.x)).toBeGreaterThan(Math.min(width, 240))
  })
})

test('the server’s words are said at the widget they name', () => {
  expect(issueFromServer(flow, 'Node "ring": there is no team 9')).toEqual({
    node: 'ring',
    issue: 'There is no team 9',
  })
  expect(issueFromServer(flow, 'Something else')).toEqual({ node: '', issue: 'Something else' })
})

test('the path of a call names which of two branches to the same widget was followed', () => {
  const at = '2026-01-01T10:00:00.000Z'
  const trace: TraceEntry[] = [
    { at, kind: 'widget', node: 'menu', type: 'ivr', name: null, number_id: 1 },
    { at, kind: 'menu', node: 'menu', key: 'fallback', title: '' },
    { at, kind: 'widget', node: 'box', type: 'voicemail', name: null, number_id: 1 },
    { at, kind: 'widget', node: 'menu', type: 'ivr', name: null, number_id: 2 },
  ]

  const callPath = callPathThrough(trace, 1)

  expect(callPath.nodes).toEqual(['menu', 'box'])
  expect(callPath.steps).toEqual([{ from: 'menu', slot: 'fallback', to: 'box' }])
  expect(callPath.isOver).toBe(false)
})

test('a test call shows when an AI agent answers and escalates', () => {
  const at = '2026-01-01T10:00:00.000Z'
  const names = { target: () => '', number: () => '', agent: () => '', sound: () => '' }
  const trace: TraceEntry[] = [
    { at, kind: 'ai_agent', node: 'agent', agent_id: 'a', name: 'Reception' },
    { at, kind: 'escalated', reason: 'The caller asked for a person', to: 'branch', destination: 'box' },
  ]

  expect(trace.map((entry) => sentenceOf(entry, names, () => ''))).toEqual([
    'AI agent “Reception” answered',
    'Escalated: The caller asked for a person',
  ])
})

test('a widget names its prompt, or the file of another URL', () => {
  const url = 'https://phone.example/assets/sounds/837b955e9ba4'
  const sounds = [{ url, name: 'Bluebird welcome' }]
  const names = { target: () => '', number: () => '', agent: () => '', sound: (of: string) => soundName(sounds, of) }
  const audio = (media: string | null) =>
    summaryOf({ type: 'audio', media, branches: { next: 'end' } } as Widget, names)

  expect(audio(url)).toBe('Plays “Bluebird welcome”')
  expect(audio('https://cdn.example/a/hello%20there.mp3?v=2')).toBe('Plays hello there.mp3')
  expect(audio('https://cdn.example/')).toBe('Plays https://cdn.example/')
  expect(audio(null)).toBe('Plays the built-in welcome message')
})
