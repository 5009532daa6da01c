import { arrowsFrom, days, type Flow, type Hours, slotsOf, targetOf, type Widget, widgetAt } from './flow.ts'

/** What publishing would refuse, by node; `''` holds what is about the drawing as a whole. */
export type Flaws = Map<string, string[]>

/** The rules that need no server, all of them at once. What a flow names is judged by the server when it is published. */
export function judge(flow: Flow): Flaws {
  const flaws: Flaws = new Map()
  const complain = (id: string, flaw: string) => flaws.set(id, [...(flaws.get(id) ?? []), flaw])
  const ids = Object.keys(flow.nodes)
  if (ids.length === 0) complain('', 'A flow needs at least one widget')
  if (ids.length > 200) complain('', 'A flow may have at most 200 widgets')
  if (ids.length > 0 && !widgetAt(flow, flow.start)) complain('', 'Choose the widget with which a call begins')
  for (const [id, widget] of Object.entries(flow.nodes)) {
    for (const flaw of flawsOfFields(widget)) complain(id, flaw)
    for (const flaw of flawsOfBranches(flow, widget)) complain(id, flaw)
  }
  const reached = reachedFrom(flow, flow.start)
  for (const id of ids) if (!reached.has(id)) complain(id, 'No way from the start leads here')
  for (const id of onCircles(flow)) complain(id, 'This is a circle in which the caller never waits')
  return flaws
}

export const countFlaws = (flaws: Flaws) => [...flaws.values()].reduce((sum, { length }) => sum + length, 0)

/** `Node "ring": …` is said at that node. */
export function flawFromServer(flow: Flow, message: string): { node: string; flaw: string } {
  const [, id, flaw] = /^Node "([^"]+)": (.+)$/s.exec(message) ?? []
  if (!id || !flaw || !widgetAt(flow, id)) return { node: '', flaw: message }
  return { node: id, flaw: (flaw[0]?.toUpperCase() ?? '') + flaw.slice(1) }
}

function flawsOfBranches(flow: Flow, widget: Widget): string[] {
  return slotsOf(widget).flatMap((slot) => {
    const to = targetOf(widget, slot.name)
    if (to === undefined) return slot.mandatory ? [`“${slot.label}” leads nowhere`] : []
    const next = widgetAt(flow, to)
    if (!next) return [`“${slot.label}” leads to a widget that is gone`]
    if (slot.name === 'callback' && next.type !== 'callback') return [`“${slot.label}” must lead to a Callback`]
    return []
  })
}

function flawsOfFields(widget: Widget): string[] {
  const flaws: string[] = []
  const within = (name: string, value: number | undefined, least: number, most: number) => {
    if (value === undefined || !Number.isInteger(value) || value < least || value > most)
      flaws.push(`${name}: a whole number from ${least} to ${most}`)
  }
  if ((widget.name ?? '').length > 64) flaws.push('The name may have at most 64 characters')
  if ('media' in widget && widget.media !== null && !isWebAddress(widget.media))
    flaws.push('The audio must be an http or https address')
  switch (widget.type) {
    case 'time_rule':
      if (widget.mode === 'custom') flaws.push(...flawsOfHours(widget.hours))
      break
    case 'ivr':
      if (widget.options.length < 1 || widget.options.length > 12) flaws.push('A menu has 1 to 12 keys')
      if (widget.options.some(({ key }) => !/^[0-9*#]$/.test(key))) flaws.push('A key is one of 0–9, * and #')
      if (new Set(widget.options.map(({ key }) => key)).size < widget.options.length)
        flaws.push('Every key may be used once')
      if (widget.options.some(({ title }) => title.length > 64)) flaws.push('A title may have at most 64 characters')
      within('Waits for a key', widget.timeout_seconds, 1, 60)
      within('Tries', widget.tries, 1, 5)
      break
    case 'waiting':
      within('Waits here', widget.seconds, 0, 3_600)
      within('Announced every', widget.announce_every_seconds, 15, 600)
      break
    case 'ring_to':
      if (widget.targets.length < 1) flaws.push('Choose who is rung')
      if (widget.targets.length > 50) flaws.push('At most 50 users and teams can be rung')
      if (widget.ring_seconds !== undefined) within('Rings for', widget.ring_seconds, 5, 120)
      within('Longest wait', widget.max_wait_seconds, 0, 7_200)
      break
    case 'voicemail':
      within('Longest message', widget.max_seconds, 5, 600)
      within('Silence that ends it', widget.silence_seconds, 2, 30)
      break
    case 'forward':
      if (!/^\+[1-9]\d{6,14}$/.test(widget.number)) flaws.push('Give an outside number, such as +33123456789')
      within('Rings for', widget.ring_seconds, 5, 120)
      break
    case 'go_to_number':
      if (!widget.number_id) flaws.push('Choose a Number')
      break
    case 'callback':
      if (widget.targets && widget.targets.length > 50) flaws.push('At most 50 users and teams can be rung')
      within('Attempts', widget.attempts, 1, 5)
      within('Pause between attempts', widget.retry_seconds, 60, 3_600)
      within('Given up after', widget.expires_seconds, 600, 604_800)
      break
    case 'ai_agent':
      if (widget.agent_id.trim() === '') flaws.push('Choose an AI voice agent')
      break
    case 'audio':
    case 'hang_up':
      break
  }
  return flaws
}

const time = /^([01]\d|2[0-3]):[0-5]\d$/

export function flawsOfHours(hours: Hours): string[] {
  const wrong = days.filter((day) => {
    const ranges = [...(hours[day] ?? [])].sort(([a], [b]) => (a < b ? -1 : 1))
    const isBroken = ranges.some(
      ([start, end]) => !time.test(start) || !(time.test(end) || end === '24:00') || start >= end,
    )
    return isBroken || ranges.some(([start], i) => i > 0 && start < (ranges[i - 1]?.[1] ?? ''))
  })
  if (wrong.length === 0) return []
  return [`${wrong.map((day) => dayNames[day]).join(', ')}: hours run from HH:MM to a later HH:MM, without overlap`]
}

export const dayNames = {
  mon: 'Monday',
  tue: 'Tuesday',
  wed: 'Wednesday',
  thu: 'Thursday',
  fri: 'Friday',
  sat: 'Saturday',
  sun: 'Sunday',
} as const

const isWebAddress = (text: string) => /^https?:\/\//i.test(text) && URL.canParse(text)

export function reachedFrom(flow: Flow, start: string): Set<string> {
  const reached = new Set<string>()
  const ahead = [start]
  for (let id = ahead.pop(); id !== undefined; id = ahead.pop()) {
    if (reached.has(id) || !widgetAt(flow, id)) continue
    reached.add(id)
    ahead.push(...arrowsFrom(flow, id).map(({ to }) => to))
  }
  return reached
}

/** The caller spends time here, so a circle through it cannot spin. */
const isWait = (widget: Widget) =>
  widget.type === 'ivr' ||
  (widget.type === 'ring_to' && widget.max_wait_seconds >= 1) ||
  (widget.type === 'waiting' && widget.seconds >= 1)

function onCircles(flow: Flow): string[] {
  const found: string[] = []
  const harmless = new Set<string>()
  const way = new Set<string>()
  const visit = (id: string) => {
    const widget = widgetAt(flow, id)
    if (!widget || isWait(widget) || harmless.has(id)) return
    if (way.has(id)) {
      if (!found.includes(id)) found.push(id)
      return
    }
    way.add(id)
    for (const { to } of arrowsFrom(flow, id)) visit(to)
    way.delete(id)
    harmless.add(id)
  }
  for (const id of Object.keys(flow.nodes)) visit(id)
  return found
}
