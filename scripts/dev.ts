// The server from its sources, as a sandbox unless told otherwise: `npm run dev`, `npm run seed`.
process.env.HOOKSWITCH_MODE ??= 'sandbox'

await import('../src/main.ts')
