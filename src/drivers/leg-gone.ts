/** The error of every command on a leg that has ended or never existed; callers check its `name`. */
export function legGone(leg: string): Error {
  const error = new Error(`Leg ${leg} is gone`)
  error.name = 'LegGone'
  return error
}
