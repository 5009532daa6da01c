// What other contexts use of numbers.
export { prepareSounds } from './audio/prepare.ts'
export { requireValidFlow } from './numbers/actions.ts'
export { numberPayloads, renderNumberFacts } from './numbers/events.ts'
export { load as loadNumber, NumberParams, numbersTag } from './numbers/route-parts.ts'
export { insertNumber, insertPastNumber, type NewNumber, replaceLinkedUsers } from './numbers/store.ts'
