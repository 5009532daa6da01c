import type { AgentLanguage } from '../ai-agent/plan.ts'
import { dateIn } from '../ai-agent/understanding/dates.ts'
import { type CalendarDay, dayOf, daysLater, isoDay, monthsLater, weekdayOf } from '../ai-agent/understanding/days.ts'
import { timeIn } from '../ai-agent/understanding/times.ts'
import type { DueWords } from './action-words.ts'

/** When something is to be done, in the words of the speaker. */
export interface DueTime {
  words: string
}

/** The longest run of words about time with an anchor such as "Friday". */
export function dueIn(words: readonly string[], due: DueWords): DueTime | null {
  const [anchors, links, not, edges] = [due.anchors, due.links, due.not, due.edges].map(
    (list) => new Set(list.split(' ')),
  )
  if (!anchors || !links || !not || !edges) return null
  const isTime = (word: string) => anchors.has(word) || links.has(word) || /^\d{1,2}$/.test(word)
  let best: string[] = []
  let run: string[] = []
  const take = () => {
    if (run.some((word) => anchors.has(word)) && run.length > best.length) best = run
    run = []
  }
  words.forEach((word, place) => {
    if (isTime(word)) run.push(word)
    else {
      if (not.has(word)) run = []
      take()
    }
    // "Last week" and "since Monday" are over.
    if (not.has(words[place - run.length] ?? '') && run.length > 0) run = run.filter((one) => !anchors.has(one))
  })
  take()
  let [start, end] = [0, best.length]
  const isEdge = (place: number) => {
    const word = best[place] ?? ''
    return edges.has(word) && !anchors.has(word)
  }
  while (end > start && (isEdge(end - 1) || isPreposition(best[end - 1] ?? '', anchors))) end--
  while (start < end && isLooseStart(best[start] ?? '', best[start + 1] ?? '', edges, anchors)) start++
  const trimmed = best.slice(start, end)
  return trimmed.some((word) => anchors.has(word)) ? { words: trimmed.join(' ') } : null
}

const isPreposition = (word: string, anchors: ReadonlySet<string>) =>
  word.length <= 3 && !anchors.has(word) && !/\d/.test(word)

/** "and tomorrow": the link does not belong to the time; "in the morning" does. */
const isLooseStart = (word: string, next: string, edges: ReadonlySet<string>, anchors: ReadonlySet<string>) =>
  edges.has(word) && !anchors.has(word) && (next === '' || ['and', 'et', 'und', 'of', 'de', 'des', 'to'].includes(word))

export interface DueContext {
  /** The day of the call in the time zone of its number. */
  today: CalendarDay
  monthFirst: boolean
}

export interface ResolvedDue {
  date: string
  time: string | null
}

/** The calendar day, and the time of day where one was said; undefined where the words leave the day open. */
export function resolveDue(due: DueTime, language: AgentLanguage, context: DueContext): ResolvedDue | undefined {
  const words = due.words.split(' ')
  const day = dayFor(words, due.words, language, context)
  return day === undefined ? undefined : { date: day, time: timeFor(words, due.words, language) }
}

const lists = {
  today:
    'today tonight immediately away hour hours minutes aujourd soir heure heures minutes heute sofort umgehend stunde stunden minuten',
  month: 'month months mois monats monat',
  week: 'week weeks semaine semaines woche',
  end: 'end fin ende close',
  next: 'next prochaine prochain nachste nachsten kommende',
  days: 'days jours tagen tage werktagen',
  noon: 'noon midday midi mittag',
}
const isIn = (list: keyof typeof lists, words: readonly string[]) => {
  const known = new Set(lists[list].split(' '))
  return words.some((word) => known.has(word))
}

const small: Readonly<Record<string, number>> = {
  ...{ a: 1, an: 1, one: 1, two: 2, couple: 2, three: 3, four: 4, five: 5, six: 6, seven: 7, eight: 8, ten: 10 },
  ...{ un: 1, une: 1, deux: 2, trois: 3, quatre: 4, cinq: 5, sept: 7, huit: 8, dix: 10, quinze: 15 },
  ...{ ein: 1, einer: 1, zwei: 2, drei: 3, vier: 4, funf: 5, sechs: 6, sieben: 7, acht: 8, zehn: 10 },
}

const countIn = (words: readonly string[]) =>
  words.map((word) => (/^\d{1,2}$/.test(word) ? Number(word) : small[word])).find((count) => count !== undefined)

function dayFor(
  words: readonly string[],
  text: string,
  language: AgentLanguage,
  context: DueContext,
): string | undefined {
  const { today } = context
  if (isIn('end', words) && isIn('month', words)) return isoDay(lastOfMonth(today))
  if (isIn('days', words)) {
    const count = countIn(words)
    return count === undefined ? undefined : isoDay(daysLater(today, count))
  }
  const friday = daysLater(today, 4 - weekdayOf(today))
  if (isIn('week', words) && isIn('next', words)) return isoDay(daysLater(friday, 7))
  if (isIn('week', words) && isIn('end', words)) return isoDay(friday)
  const heard = text === 'in the morning' ? isoDay(daysLater(today, 1)) : dateIn(text, language, context)?.date
  if (heard) return heard
  const isWithinHours = isIn('today', words)
  if (isWithinHours && (countIn(words) ?? 0) <= 8) return isoDay(today)
  // "Within 48 hours"
  if (isWithinHours && !isIn('days', words)) return isoDay(daysLater(today, Math.ceil((countIn(words) ?? 24) / 24)))
  return undefined
}

const lastOfMonth = (day: CalendarDay): CalendarDay =>
  daysLater(monthsLater(dayOf(day.year, day.month, 1) ?? day, 1), -1)

function timeFor(words: readonly string[], text: string, language: AgentLanguage): string | null {
  if (isIn('noon', words)) return '12:00'
  const hasClock = words.some((word) => ['at', 'um', 'uhr', 'clock', 'am', 'pm', 'heures'].includes(word))
  if (!hasClock || isIn('days', words) || (/hours|heures? *$/.test(text) && language === 'en')) return null
  return timeIn(text, language)?.time ?? null
}
