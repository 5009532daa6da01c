/** Calls that the API returns: those that started within the last six months. */
export const readableSince = (now: number): number => monthsBefore(now, 6)

/** Retention: one month longer, so that nothing is deleted while a client reads it. */
export const keptSince = (now: number): number => monthsBefore(now, 7)

/** The longest retention period that a company can set: about seven months. */
export const maxCallDays = 210

/** Calendar months in UTC; the 31st becomes the last day of a shorter month. */
function monthsBefore(at: number, months: number): number {
  const then = new Date(at)
  const [year, month] = [then.getUTCFullYear(), then.getUTCMonth() - months]
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  const sinceMidnight = at - Date.UTC(then.getUTCFullYear(), then.getUTCMonth(), then.getUTCDate())
  return Date.UTC(year, month, Math.min(then.getUTCDate(), lastDay)) + sinceMidnight
}
