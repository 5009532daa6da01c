import { describe, expect, test } from 'vitest'
import { isOverShare, type ShareFacts } from './media-share.ts'

const facts: ShareFacts = { capacity: 50, running: 0, companies: 1, othersWait: false, shared: true }

describe('the share of a company in the media capacity', () => {
  const cases: [title: string, facts: Partial<ShareFacts>, over: boolean][] = [
    ['nine of ten calls while no other company waits', { running: 44 }, false],
    ['not the last ones, which are kept for others', { running: 45 }, true],
    ['all of them where it is the only company', { running: 49, shared: false }, false],
    ['half of them while another company waits', { running: 24, companies: 2, othersWait: true }, false],
    ['no more than half while another company waits', { running: 25, companies: 2, othersWait: true }, true],
    ['a third while two others have calls or wait', { running: 16, companies: 3, othersWait: true }, true],
    ['at least one call', { capacity: 2, running: 0, companies: 5, othersWait: true }, false],
    ['a small server keeps nothing back', { capacity: 1, running: 0 }, false],
  ]
  for (const [title, more, over] of cases) {
    test(title, () => {
      expect(isOverShare({ ...facts, ...more })).toBe(over)
    })
  }
})
