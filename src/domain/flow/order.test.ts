import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { branchesOf, type Flow, widgetAt } from './document.ts'
import { insideIvr, widgetsInOrder } from './order.ts'
import { readFlow } from './parse.ts'

const drawn = (nodes: object) => readFlow(JSON.stringify({ version: 1, start: 'start', nodes }))
const ids = (flow: Flow) => widgetsInOrder(flow).map(({ id }) => id)

const audio = (next: string) => ({ type: 'audio', branches: { next } })
const rule = (open: string, otherwise: string) => ({ type: 'time_rule', branches: { otherwise, open } })
const menu = (branches: Record<string, string>, ...keys: string[]) => ({
  type: 'ivr',
  options: keys.map((key) => ({ key, title: key })),
  branches,
})
const end = { type: 'hang_up' }

describe('reading order', () => {
  test('goes deep first, in the order of the widget and not of the JSON', () => {
    const flow = drawn({ z: end, b: end, a: audio('b'), start: rule('a', 'z') })

    expect(ids(flow)).toEqual(['start', 'a', 'b', 'z'])
  })

  test('takes the options of an IVR in their order, the fallback last', () => {
    const flow = drawn({
      start: menu({ fallback: 'f', '1': 'one', '9': 'nine' }, '9', '1'),
      f: end,
      one: end,
      nine: end,
    })

    expect(ids(flow)).toEqual(['start', 'nine', 'one', 'f'])
  })

  test('visits a node once, where ways rejoin and where they run in a circle', () => {
    const flow = drawn({ start: rule('a', 'b'), a: audio('b'), b: menu({ '1': 'start', fallback: 'b' }, '1') })

    expect(ids(flow)).toEqual(['start', 'a', 'b'])
  })

  test('passes over a branch whose node is gone', () => {
    expect(ids(drawn({ start: rule('toString', 'end'), end }))).toEqual(['start', 'end'])
  })
})

describe('inside an IVR', () => {
  test.each([
    ['nothing without one', { start: audio('end'), end }, []],
    [
      'all that its branches lead to, but not the IVR',
      { start: menu({ '1': 'a', fallback: 'end' }, '1'), a: audio('end'), end },
      ['a', 'end'],
    ],
    [
      'a nested IVR and what follows',
      { start: menu({ '1': 'b', fallback: 'b' }, '1'), b: menu({ '2': 'end', fallback: 'end' }, '2'), end },
      ['b', 'end'],
    ],
    [
      'not what another way reaches too',
      { start: rule('menu', 'end'), menu: menu({ '1': 'a', fallback: 'end' }, '1'), a: audio('end'), end },
      ['a'],
    ],
    [
      'what two IVRs lead to, each on its own way',
      { start: rule('m', 'n'), m: menu({ fallback: 'a' }), n: menu({ fallback: 'a' }), a: audio('end'), end },
      ['a', 'end'],
    ],
    [
      'not the way back before the IVR',
      { start: audio('m'), m: menu({ '1': 'start', fallback: 'end' }, '1'), end },
      ['end'],
    ],
  ])('is %s', (_, nodes, inside) => {
    expect(insideIvr(drawn(nodes))).toEqual(new Set(inside))
  })

  test('is exactly what no walk reaches without having taken an IVR branch', () => {
    fc.assert(
      fc.property(anyFlow, (flow) => {
        expect(insideIvr(flow)).toEqual(insideByWalking(flow))
      }),
    )
  })
})

const anyFlow: fc.Arbitrary<Flow> = fc
  .array(fc.record({ kind: fc.constantFrom('audio', 'rule', 'menu', 'end'), to: fc.tuple(fc.nat(), fc.nat()) }), {
    minLength: 1,
    maxLength: 9,
  })
  .map((shapes) => {
    const name = (n: number) => (n % shapes.length === 0 ? 'start' : `n${n % shapes.length}`)
    const node = (kind: string, a: string, b: string) =>
      kind === 'audio'
        ? audio(a)
        : kind === 'rule'
          ? rule(a, b)
          : kind === 'menu'
            ? menu({ '1': a, fallback: b }, '1')
            : end
    return drawn(Object.fromEntries(shapes.map(({ kind, to: [a, b] }, n) => [name(n), node(kind, name(a), name(b))])))
  })

function insideByWalking(flow: Flow): Set<string> {
  const seen = new Set<string>()
  const ahead = [{ id: 'start', pressed: false }]
  for (let here = ahead.pop(); here; here = ahead.pop()) {
    const { id, pressed } = here
    const widget = widgetAt(flow, id)
    if (!widget || seen.has(`${id} ${pressed}`)) continue
    seen.add(`${id} ${pressed}`)
    for (const { to } of branchesOf(widget)) ahead.push({ id: to, pressed: pressed || widget.type === 'ivr' })
  }
  return new Set(Object.keys(flow.nodes).filter((id) => seen.has(`${id} true`) && !seen.has(`${id} false`)))
}
