// The server from its sources, as a sandbox by default: `npm run dev`, `npm run seed`.
process.env.HOOKSWITCH_MODE ??= 'sandbox'

await import('../src/main.ts')
