import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { displayNumber, loadNumberingPlans, readNumber, setCompanyCountry } from './phone-number.ts'

beforeAll(loadNumberingPlans)
afterEach(() => setCompanyCountry(null))

describe('a number on the screen', () => {
  test.each([
    ['+33199554433', '+33 1 99 55 44 33'],
    ['0033199554433', '+33 1 99 55 44 33'],
    ['+33 1 99 55 44 33', '+33 1 99 55 44 33'],
    ['+14155550123', '+1 415-555-0123'],
    ['+442079460018', '+44 20 7946 0018'],
    ['anonymous', 'anonymous'],
    ['204', '204'],
    ['01 99 55 44 33', '01 99 55 44 33'],
    ['', ''],
  ])('%s is shown as %s', (stored, shown) => {
    expect(displayNumber(stored)).toBe(shown)
  })
})

describe('a number as typed', () => {
  test.each([
    ['FR', '01 99 55 44 33', '+33199554433'],
    ['FR', '06.12.34.56.78', '+33612345678'],
    ['GB', '020 7946 0018', '+442079460018'],
    ['US', '(415) 555-0123', '+14155550123'],
    ['US', '1 415 555 0123', '+14155550123'],
    ['DE', '030 901820', '+4930901820'],
    ['FR', '+44 (0)20 7946 0018', '+442079460018'],
    [null, '0044 20 7946 0018', '+442079460018'],
  ])('in %s %s is %s', (country, typed, e164) => {
    setCompanyCountry(country)

    expect(readNumber(typed)).toBe(e164)
  })

  test.each(['204', '112', '199554433', '+', 'Sam', '1-800-FLOWERS', ''])('in FR %j is no number', (typed) => {
    setCompanyCountry('FR')

    expect(readNumber(typed)).toBeUndefined()
  })
})

test('screens show numbers with displayNumber or PhoneText and read them with PhoneInput', () => {
  const web = path.resolve(import.meta.dirname, '..')
  const raw = [
    // In JSX or in a template string without a formatter.
    /[>\s][{](?:\w+\.)*(?:raw_digits|phone_number|e164|external)[}]/,
    /\$[{](?:\w+\.)*(?:raw_digits|phone_number|phone|e164)[}](?! \$\{)/,
    /^(?!.*(?:displayNumber|numberIn|encodeURIComponent|dialLink)).*phone_numbers(?:\[0\]|\[first\])?\??\.value/,
    /type="tel"/,
  ]
  const allowed = new Map([
    ['kit/ui/phone-input.tsx', 'the input itself'],
    ['dashboard/trunks/rates.tsx', 'prefixes'],
    ['dashboard/parts/contact-drawer.tsx', 'the kind of a list'],
    ['dashboard/messaging/opt-outs.tsx', 'keys of rows'],
    ['dashboard/parts/user-forwarding.tsx', 'keys of forms'],
  ])
  const files = readdirSync(web, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /(?<!\.test)\.tsx?$/.test(name),
  )
  const found = files.flatMap((name) =>
    allowed.has(name) || name.startsWith('kit/generated')
      ? []
      : readFileSync(path.join(web, name), 'utf8')
          .split('\n')
          .filter((line) => raw.some((pattern) => pattern.test(line)))
          .map((line) => `${name}: ${line.trim()}`),
  )

  expect(files.length).toBeGreaterThan(100)
  expect(found).toEqual([])
})
