import { expect, test } from 'vitest'
import { hoursText, overlong, problemText, recipientsFrom } from './campaign.ts'

test('recipients are read from pasted lines', () => {
  expect(recipientsFrom('+33 1 99 00 70 01\n+33199007002, Jo\n\n+12125550104,Ny,America/New_York')).toEqual([
    { phone_number: '+33 1 99 00 70 01', name: null, time_zone: null },
    { phone_number: '+33199007002', name: 'Jo', time_zone: null },
    { phone_number: '+12125550104', name: 'Ny', time_zone: 'America/New_York' },
  ])
})

test('columns of a CSV file that have other headings are context variables', () => {
  expect(recipientsFrom('Name;Phone number;visit\nJo;+33199007001;Monday\nBo;+33199007002;')).toEqual([
    { phone_number: '+33199007001', name: 'Jo', time_zone: null, context: { visit: 'Monday' } },
    { phone_number: '+33199007002', name: 'Bo', time_zone: null },
  ])
})

test('calling hours are shown by groups of days', () => {
  const day: [string, string][] = [['09:00', '18:00']]
  expect(hoursText({ mon: day, tue: day, wed: day, fri: day, sat: [['10:00', '12:00']] })).toBe(
    'Mon–Wed 09:00–18:00; Fri 09:00–18:00; Sat 10:00–12:00',
  )
})

test('the problem of a recipient is described in the words of the form', () => {
  const recipients = recipientsFrom('0123\n+33199007002, Jo')
  expect(problemText({ index: 0, issue: 'phone_number', variable: null }, recipients)).toMatch(/^Row 1 \(0123\): not a/)
  expect(problemText({ index: 1, issue: 'missing_variable', variable: 'visit' }, recipients)).toContain('“visit”')
  expect(overlong([{ phone_number: '1'.repeat(41) }])).toEqual(['Row 1: the phone number is longer than 40 characters'])
})
