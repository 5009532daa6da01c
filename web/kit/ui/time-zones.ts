export const browserZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone

/** All time zones of the browser, and the selected one even if the browser does not list it. */
export function timeZones(chosen: string): string[] {
  const zones = Intl.supportedValuesOf('timeZone')
  return [...new Set([chosen, browserZone(), 'UTC', ...zones])].sort()
}

/** New accounts are in UTC: until the user selects a time zone, the browser's is used. */
export const zoneOf = (user: { time_zone: string }) =>
  /^(Etc\/)?UTC$/.test(user.time_zone) ? browserZone() : user.time_zone
