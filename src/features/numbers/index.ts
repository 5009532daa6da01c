// What other contexts use of numbers.
export { numberPayloads, renderNumberFacts } from './numbers/events.ts'
