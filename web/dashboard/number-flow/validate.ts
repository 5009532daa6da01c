import { widgetAt } from '../../../src/domain/flow/document.ts'
import { isIntegerWithin, isWebAddress } from '../../../src/domain/flow/fields.ts'
import {
  type Limit,
  limits,
  maxIvrOptions,
  maxLabelLength,
  maxNodes,
  maxTargets,
} from '../../../src/domain/flow/limits.ts'
import { nodesOnLoops, unreachableNodes } from '../../../src/domain/flow/validate.ts'
import { isIvrKey, isShortText } from '../../../src/domain/flow/widget-values.ts'
import { areRanges, days, type Hours } from '../../../src/domain/opening-hours.ts'
import { isE164 } from '../../../src/domain/phone-number.ts'
import { type Flow, slotsOf, targetOf, type Widget } from './flow.ts'

// The rules are those of the server, in src/domain; the texts are those of the editor.

/** Validation errors by node; `''` holds those of the whole flow. */
export type FlowIssues = Map<string, string[]>

/** The checks that need no server. References to users, teams and numbers are validated on publish. */
export function validate(flow: Flow): FlowIssues {
  const issues: FlowIssues = new Map()
  const complain = (id: string, issue: string) => issues.set(id, [...(issues.get(id) ?? []), issue])
  const ids = Object.keys(flow.nodes)
  if (ids.length === 0) complain('', 'A flow needs at least one widget')
  if (ids.length > maxNodes) complain('', `A flow can have at most ${maxNodes} widgets`)
  if (ids.length > 0 && !widgetAt(flow, flow.start)) complain('', 'Select the start widget')
  for (const [id, widget] of Object.entries(flow.nodes)) {
    for (const issue of issuesOfFields(widget)) complain(id, issue)
    for (const issue of issuesOfBranches(flow, widget)) complain(id, issue)
  }
  for (const id of unreachableNodes(flow)) complain(id, 'Unreachable')
  for (const id of nodesOnLoops(flow)) complain(id, 'Loop without a wait')
  return issues
}

export const countIssues = (issues: FlowIssues) => [...issues.values()].reduce((sum, { length }) => sum + length, 0)

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
  const within = (name: string, value: number | undefined, [min, max]: Limit) => {
    if (!isIntegerWithin(value, min, max)) issues.push(`${name}: enter a whole number from ${min} to ${max}`)
  }
  if (!isShortText(widget.name ?? '')) issues.push(`The name can have at most ${maxLabelLength} characters`)
  if ('media' in widget && widget.media !== null && !isWebAddress(widget.media))
    issues.push('The audio must be an http or https URL')
  switch (widget.type) {
    case 'time_rule':
      if (widget.mode === 'custom') issues.push(...issuesOfHours(widget.hours))
      break
    case 'ivr':
      if (widget.options.length < 1 || widget.options.length > maxIvrOptions)
        issues.push(`An IVR has 1 to ${maxIvrOptions} keys`)
      if (widget.options.some(({ key }) => !isIvrKey(key))) issues.push('Keys are 0–9, * and #')
      if (new Set(widget.options.map(({ key }) => key)).size < widget.options.length)
        issues.push('Each key can be used only once')
      if (widget.options.some(({ title }) => !isShortText(title)))
        issues.push(`A title can have at most ${maxLabelLength} characters`)
      within('Input timeout', widget.timeout_seconds, limits.ivr.timeout_seconds)
      within('Retries', widget.tries, limits.ivr.tries)
      break
    case 'waiting':
      within('Wait time', widget.seconds, limits.waiting.seconds)
      within('Announcement interval', widget.announce_every_seconds, limits.waiting.announce_every_seconds)
      break
    case 'ring_to':
      if (widget.targets.length < 1) issues.push('Add at least one user or team')
      if (widget.targets.length > maxTargets) issues.push(tooManyTargets)
      if (widget.ring_seconds !== undefined) within('Ring timeout', widget.ring_seconds, limits.ring_to.ring_seconds)
      within('Max wait time', widget.max_wait_seconds, limits.ring_to.max_wait_seconds)
      break
    case 'voicemail':
      within('Max message length', widget.max_seconds, limits.voicemail.max_seconds)
      within('Silence timeout', widget.silence_seconds, limits.voicemail.silence_seconds)
      break
    case 'forward':
      if (!isE164(widget.number)) issues.push('Enter an external number, such as +33123456789')
      within('Ring timeout', widget.ring_seconds, limits.forward.ring_seconds)
      break
    case 'go_to_number':
      if (!widget.number_id) issues.push('Select a number')
      break
    case 'callback':
      if (widget.targets && widget.targets.length > maxTargets) issues.push(tooManyTargets)
      within('Attempts', widget.attempts, limits.callback.attempts)
      within('Retry interval', widget.retry_seconds, limits.callback.retry_seconds)
      within('Expires after', widget.expires_seconds, limits.callback.expires_seconds)
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

const tooManyTargets = `At most ${maxTargets} users and teams can be rung`

export function issuesOfHours(hours: Hours): string[] {
  const wrong = days.filter((day) => !areRanges(hours[day] ?? []))
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
