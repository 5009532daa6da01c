import HookswitchPhone from './embed.ts'

// For pages that load the script as it is.
Object.assign(globalThis, { HookswitchPhone })
