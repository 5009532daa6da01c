// What other contexts use of trunks.
export { mustBeDiallable, mustBeLinked } from './outbound-rules/dialling.ts'
export { changeRules, type OutboundRules } from './outbound-rules/rules.ts'
export { trunkSecrets } from './trunks/secrets.ts'
export { voiceLines } from './trunks/voice-lines.ts'
