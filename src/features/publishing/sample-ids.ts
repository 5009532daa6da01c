// Ids of the objects in sample payloads. A sample is also sent as a test event, so its ids are beyond those of real objects:
// a receiver cannot take them for objects of its own company.
export const sampleIds = {
  company: 2_000_000_000,
  number: 2_000_000_001,
  user: 2_000_000_004,
  contact: 2_000_000_007,
  contactDetail: 2_000_000_011,
  call: 2_000_000_021,
  callUuid: '0d6f3c1a-52b8-4e7f-9b1d-7a2c4e8f6035',
  liveAlert: 2_000_000_031,
  /** Phone numbers that are reserved for fiction. */
  callerPhone: '+14155550187',
} as const
