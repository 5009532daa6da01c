import { isOpen, type Schedule } from '../opening-hours.ts'
import { type Flow, type Mode, type TimeRule, withWidgets } from './document.ts'
import { widgetsInOrder } from './order.ts'

/** The time rule that applies to the whole Number. */
export function firstTimeRule(flow: Flow): { id: string; rule: TimeRule } | undefined {
  for (const { id, widget } of widgetsInOrder(flow)) {
    if (widget.type === 'time_rule') return { id, rule: widget }
  }
  return undefined
}

export function availabilityOf(flow: Flow): Mode {
  return firstTimeRule(flow)?.rule.mode ?? 'open'
}

/** A flow without a Time Rule is open 24/7. */
export function openNow(flow: Flow, timeZone: string, at: number): boolean {
  const first = firstTimeRule(flow)
  return first === undefined || ruleIsOpen(first.rule, timeZone, at)
}

export function ruleIsOpen(rule: TimeRule, timeZone: string, at: number): boolean {
  switch (rule.mode) {
    case 'open':
      return true
    case 'closed':
      return false
    case 'custom':
      return isOpen(scheduleOf(rule), timeZone, at)
  }
}

export function scheduleOf(rule: TimeRule): Schedule {
  return { hours: rule.hours, closedDates: rule.closed_dates }
}

export function setAvailability(flow: Flow, mode: Mode): { flow: Flow } | { problem: string } {
  const first = firstTimeRule(flow)
  if (!first) return { problem: 'availability_status needs a Time Rule widget, and the flow of this Number has none' }
  return { flow: withWidgets(flow, (widget, id) => (id === first.id ? { ...first.rule, mode } : widget)) }
}
