// What other contexts use of numbers.
export { requireValidFlow } from './numbers/actions.ts'
export { numberPayloads, renderNumberFacts } from './numbers/events.ts'
export { load as loadNumber, NumberParams, numbersTag } from './numbers/route-parts.ts'
