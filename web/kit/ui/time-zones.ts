/** Where this browser is. */
export const browserZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone

/** Every zone that can be chosen, and the one that is chosen already, whatever it is called. */
export function timeZones(chosen: string): string[] {
  const zones = Intl.supportedValuesOf('timeZone')
  return [...new Set([chosen, browserZone(), 'UTC', ...zones])].sort()
}

/** Accounts begin in UTC: until a user has chosen a time zone, that of the browser is meant. */
export const zoneOf = (user: { time_zone: string }) =>
  /^(Etc\/)?UTC$/.test(user.time_zone) ? browserZone() : user.time_zone
