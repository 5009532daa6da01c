import { classicFlow } from '../../../domain/flow/classic.ts'
import { alwaysOpen } from '../../../domain/opening-hours.ts'
import { exampleNumber, exampleUser, type PhoneNumber } from '../../accounts/index.ts'
import { type FactRenderer, payloadOf, sampleIds } from '../../publishing/index.ts'
import { EventNumberWithUsers, numberView, numberWithUsers } from './view.ts'

export interface NumberFact {
  kind: 'number'
  event: 'created' | 'opened' | 'closed' | 'deleted'
  number: PhoneNumber
}

declare module '../../publishing/publish.ts' {
  interface FactsByKind {
    number: NumberFact
  }
}

const newNumber = (at: number): PhoneNumber => ({ ...exampleNumber(at), createdAt: at })

/** A classic number whose opening hours have just started or just ended, independent of the time of the sample. */
const classicNumber = (at: number, hours: 'started' | 'ended'): PhoneNumber => ({
  ...exampleNumber(at),
  flowEditor: false,
  flow: classicFlow({
    hours: hours === 'started' ? alwaysOpen : {},
    closedDates: [],
    mode: 'custom',
    userIds: [sampleIds.user],
  }),
})

const number = payloadOf(EventNumberWithUsers)
const atHours = (hours: 'started' | 'ended') =>
  number((context) => numberWithUsers(context, classicNumber(context.at, hours), [exampleUser(context.at)]))

export const numberPayloads = {
  'number.created': number((context) => numberWithUsers(context, newNumber(context.at), [])),
  'number.opened': atHours('started'),
  'number.closed': atHours('ended'),
  'number.deleted': number((context) => numberWithUsers(context, exampleNumber(context.at), [])),
}

export const renderNumberFacts: FactRenderer<NumberFact> = async ({ tx, companyId, context }) => {
  return async ({ number, event }) => {
    const name = `number.${event}` as const
    const view =
      event === 'deleted' ? numberWithUsers(context, number, []) : await numberView(tx, companyId, context, number)
    return [{ name, resourceKey: `number:${number.id}`, numberId: number.id, data: numberPayloads[name].write(view) }]
  }
}
