// Calendar arithmetic without time zones.

export interface CalendarDay {
  year: number
  month: number
  day: number
}

const at = ({ year, month, day }: CalendarDay) => Date.UTC(year, month - 1, day)

const ofInstant = (instant: number): CalendarDay => {
  const date = new Date(instant)
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() }
}

/** Undefined for a day that does not exist. */
export function dayOf(year: number, month: number, day: number): CalendarDay | undefined {
  if (year < 1_000 || year > 9_999 || month < 1 || month > 12 || day < 1 || day > 31) return undefined
  const found = ofInstant(at({ year, month, day }))
  return found.month === month ? found : undefined
}

export const isoDay = (day: CalendarDay): string => new Date(at(day)).toISOString().slice(0, 10)

export const daysLater = (day: CalendarDay, count: number): CalendarDay => ofInstant(at(day) + count * 86_400_000)

/** The last day of the month where it has no such day. */
export function monthsLater({ year, month, day }: CalendarDay, count: number): CalendarDay {
  const months = year * 12 + month - 1 + count
  const target = { year: Math.floor(months / 12), month: (months % 12) + 1 }
  for (let last = day; last > 28; last--) {
    const found = dayOf(target.year, target.month, last)
    if (found) return found
  }
  return { ...target, day: Math.min(day, 28) }
}

/** 0 is Monday. */
export const weekdayOf = (day: CalendarDay): number => (new Date(at(day)).getUTCDay() + 6) % 7

/** The day of a date in the form 2026-06-15. */
export const dayOfIso = (text: string): CalendarDay | undefined => {
  const [year, month, day] = text.split('-').map(Number)
  return dayOf(year ?? 0, month ?? 0, day ?? 0)
}
