import { arrowsFrom, days, type Flow, type Hours, slotsOf, targetOf, type Widget, widgetAt } from './flow.ts'

/** Validation errors by node; `''` holds those of the whole flow. */
export type Issues = Map<string, string[]>

/** The checks that need no server. References to users, teams and numbers are validated on publish. */
export function validate(flow: Flow): Issues {
  const issues: Issues = new Map()
  const complain = (id: string, issue: string) => issues.set(id, [...(issues.get(id) ?? []), issue])
  const ids = Object.keys(flow.nodes)
  if (ids.length === 0) complain('', 'A flow needs at least one widget')
  if (ids.length > 200) complain('', 'A flow can have at most 200 widgets')
  if (ids.length > 0 && !widgetAt(flow, flow.start)) complain('', 'Select the start widget')
  for (const [id, widget] of Object.entries(flow.nodes)) {
    for (const issue of issuesOfFields(widget)) complain(id, issue)
    for (const issue of issuesOfBranches(flow, widget)) complain(id, issue)
  }
  const reached = reachedFrom(flow, flow.start)
  for (const id of ids) if (!reached.has(id)) complain(id, 'Unreachable')
  for (const id of loops(flow)) complain(id, 'Loop without a wait')
  return issues
}

export const countIssues = (issues: Issues) => [...issues.values()].reduce((sum, { length }) => sum + length, 0)

/** Assigns a server message such as `Node "ring": …` to its node. */
export function issueFromServer(flow: Flow, message: string): { node: string; issue: string } {
  const [, id, issue] = /^Node "([^"]+)": (.+)$/s.exec(message) ?? []
  if (!id || !issue || !widgetAt(flow, id)) return { node: '', issue: message }
  return { node: id, issue: (issue[0]?.toUpperCase() ?? '') + issue.slice(1) }
}

function issuesOfBranches(flow: Flow, widget: Widget): string[] {
  return slotsOf(widget).flatMap((slot) => {
    const to = targetOf(widget, slot.name)
    if (to === undefined) return slot.mandatory ? [`“${slot.label}”: not connected`] : []
    const next = widgetAt(flow, to)
    if (!next) return [`“${slot.label}”: connected to a deleted widget`]
    if (slot.name === 'callback' && next.type !== 'callback')
      return [`“${slot.label}” must connect to a Callback widget`]
    return []
  })
}

function issuesOfFields(widget: Widget): string[] {
  const issues: string[] = []
  const within = (name: string, value: number | undefined, min: number, max: number) => {
    if (value === undefined || !Number.isInteger(value) || value < min || value > max)
      issues.push(`${name}: enter a whole number from ${min} to ${max}`)
  }
  if ((widget.name ?? '').length > 64) issues.push('The name can have at most 64 characters')
  if ('media' in widget && widget.media !== null && !isWebUrl(widget.media))
    issues.push('The audio must be an http or https URL')
  switch (widget.type) {
    case 'time_rule':
      if (widget.mode === 'custom') issues.push(...issuesOfHours(widget.hours))
      break
    case 'ivr':
      if (widget.options.length < 1 || widget.options.length > 12) issues.push('An IVR has 1 to 12 keys')
      if (widget.options.some(({ key }) => !/^[0-9*#]$/.test(key))) issues.push('Keys are 0–9, * and #')
      if (new Set(widget.options.map(({ key }) => key)).size < widget.options.length)
        issues.push('Each key can be used only once')
      if (widget.options.some(({ title }) => title.length > 64)) issues.push('A title can have at most 64 characters')
      within('Input timeout', widget.timeout_seconds, 1, 60)
      within('Retries', widget.tries, 1, 5)
      break
    case 'waiting':
      within('Wait time', widget.seconds, 0, 3_600)
      within('Announcement interval', widget.announce_every_seconds, 15, 600)
      break
    case 'ring_to':
      if (widget.targets.length < 1) issues.push('Add at least one user or team')
      if (widget.targets.length > 50) issues.push('At most 50 users and teams can be rung')
      if (widget.ring_seconds !== undefined) within('Ring timeout', widget.ring_seconds, 5, 120)
      within('Max wait time', widget.max_wait_seconds, 0, 7_200)
      break
    case 'voicemail':
      within('Max message length', widget.max_seconds, 5, 600)
      within('Silence timeout', widget.silence_seconds, 2, 30)
      break
    case 'forward':
      if (!/^\+[1-9]\d{6,14}$/.test(widget.number)) issues.push('Enter an external number, such as +33123456789')
      within('Ring timeout', widget.ring_seconds, 5, 120)
      break
    case 'go_to_number':
      if (!widget.number_id) issues.push('Select a number')
      break
    case 'callback':
      if (widget.targets && widget.targets.length > 50) issues.push('At most 50 users and teams can be rung')
      within('Attempts', widget.attempts, 1, 5)
      within('Retry interval', widget.retry_seconds, 60, 3_600)
      within('Expires after', widget.expires_seconds, 600, 604_800)
      break
    case 'ai_agent':
      if (widget.agent_id.trim() === '') issues.push('Select an AI agent')
      break
    case 'audio':
    case 'hang_up':
      break
  }
  return issues
}

const time = /^([01]\d|2[0-3]):[0-5]\d$/

export function issuesOfHours(hours: Hours): string[] {
  const wrong = days.filter((day) => {
    const ranges = [...(hours[day] ?? [])].sort(([a], [b]) => (a < b ? -1 : 1))
    const isBroken = ranges.some(
      ([start, end]) => !time.test(start) || !(time.test(end) || end === '24:00') || start >= end,
    )
    return isBroken || ranges.some(([start], i) => i > 0 && start < (ranges[i - 1]?.[1] ?? ''))
  })
  if (wrong.length === 0) return []
  return [`${wrong.map((day) => dayNames[day]).join(', ')}: enter time ranges as HH:MM–HH:MM that do not overlap`]
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

const isWebUrl = (text: string) => /^https?:\/\//i.test(text) && URL.canParse(text)

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

/** The caller spends time here, so a loop through this widget cannot spin. */
const isWait = (widget: Widget) =>
  widget.type === 'ivr' ||
  (widget.type === 'ring_to' && widget.max_wait_seconds >= 1) ||
  (widget.type === 'waiting' && widget.seconds >= 1)

function loops(flow: Flow): string[] {
  const found: string[] = []
  const harmless = new Set<string>()
  const visiting = new Set<string>()
  const visit = (id: string) => {
    const widget = widgetAt(flow, id)
    if (!widget || isWait(widget) || harmless.has(id)) return
    if (visiting.has(id)) {
      if (!found.includes(id)) found.push(id)
      return
    }
    visiting.add(id)
    for (const { to } of arrowsFrom(flow, id)) visit(to)
    visiting.delete(id)
    harmless.add(id)
  }
  for (const id of Object.keys(flow.nodes)) visit(id)
  return found
}
