/** Faults injected for a company: rates from 0 to 1, and seconds. */
export interface CompanyFaults {
  seed: number
  duplicate_events: number
  late_events_seconds: number
  rate_limit_storm: number
  carrier_failure: number
  drop_media: number
}

export const noFaults: CompanyFaults = {
  seed: 42,
  duplicate_events: 0,
  late_events_seconds: 0,
  rate_limit_storm: 0,
  carrier_failure: 0,
  drop_media: 0,
}
