import HookswitchPhone from './embed.ts'

// For pages that load the script without a bundler.
Object.assign(globalThis, { HookswitchPhone })
