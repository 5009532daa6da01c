import type { Answer, TestApp, TestCompany } from './app.ts'

// Users, Numbers and flows, created as by API clients.

let last = 100

/** A French phone number that no other Number of the test has. */
export const freshDigits = () => `+33199000${++last}`

interface NumberOptions {
  digits?: string
  name?: string
  time_zone?: string
  flow_editor_enabled?: boolean
  validated?: boolean
}

/** A Number of the company, as added in the dashboard. */
export async function addNumber(company: TestCompany, options: NumberOptions = {}, drawing?: object) {
  const made = await company.own('POST', '/v1/numbers', { digits: freshDigits(), name: 'Main line', ...options })
  if (made.status !== 201) throw new Error(made.text)
  const { number } = made.json
  if (drawing) await draw(company, number.id, drawing)
  return number
}

export async function draw(company: TestCompany, numberId: number, drawing: object): Promise<Answer> {
  const drawn = await company.own('PUT', `/v1/numbers/${numberId}/flow`, drawing)
  if (drawn.status !== 200) throw new Error(drawn.text)
  return drawn
}

export async function addUser(company: TestCompany, name: string) {
  const body = { email: `${name.toLowerCase()}@example.test`, first_name: name, last_name: 'Test' }
  const made = await company.api('POST', '/v2/users', body)
  if (made.status !== 201) throw new Error(made.text)
  return made.json.user
}

export async function addTeam(company: TestCompany, name: string, members: { id: number }[] = []) {
  const made = await company.api('POST', '/v1/teams', { name })
  if (made.status !== 201) throw new Error(made.text)
  for (const { id } of members) await company.api('POST', `/v1/teams/${made.json.team.id}/users/${id}`)
  return made.json.team
}

/** Versions of a Number's flow, newest first. */
export async function versionsOf(company: TestCompany, numberId: number) {
  return (await company.own('GET', `/v1/numbers/${numberId}/flow/versions`)).json.versions
}

/** The live flow of a Number. */
export async function liveFlow(company: TestCompany, numberId: number) {
  return (await company.own('GET', `/v1/numbers/${numberId}/flow`)).json.live
}

/** Audio of each node of the live flow. */
export async function mediaOf(company: TestCompany, numberId: number) {
  const { nodes } = await liveFlow(company, numberId)
  return Object.fromEntries(
    Object.entries<{ media?: string | null }>(nodes).flatMap(([id, { media }]) => (media ? [[id, media]] : [])),
  )
}

/** Events of company A about one resource. */
export async function eventsAbout({ events, a }: TestApp, resource: 'number' | 'contact') {
  return (await events(a)).filter(({ name }) => name.startsWith(`${resource}.`))
}

type Media = string | null

/** The first node is the start. */
export const drawing = (nodes: Record<string, object>) => ({ start: Object.keys(nodes)[0], nodes })

export const timeRule = (open: string, otherwise: string, hours: object = {}, mode = 'custom') => ({
  type: 'time_rule',
  mode,
  hours,
  closed_dates: [],
  branches: { open, otherwise },
})
export const audio = (next: string, media: Media = null) => ({ type: 'audio', media, branches: { next } })
export const waiting = (next: string, media: Media = null) => ({ type: 'waiting', media, branches: { next } })
export const menu = (one: string, fallback: string, media: Media = null) => ({
  type: 'ivr',
  media,
  options: [{ key: '1', title: 'One' }],
  branches: { '1': one, fallback },
})
export const ringTo = (targets: { type: 'user' | 'team'; id: number }[], no_answer: string) => ({
  type: 'ring_to',
  targets,
  branches: { no_answer },
})
export const box = (media: Media = null) => ({ type: 'voicemail', media })
export const goTo = (number_id: number) => ({ type: 'go_to_number', number_id })
export const hangUp = { type: 'hang_up' }

export const user = ({ id }: { id: number }) => ({ type: 'user' as const, id })
export const team = ({ id }: { id: number }) => ({ type: 'team' as const, id })
