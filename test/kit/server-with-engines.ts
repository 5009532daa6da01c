import { createApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { type EngineOptions, testEngines } from './engines.ts'

// A server with the AI engines of a test; its only argument has their options. Started by server-process.ts.

const { callerSays = [], ...options }: EngineOptions & { callerSays?: string[] } = JSON.parse(process.argv[2] ?? '{}')
const engines = testEngines(options)
engines.callerSays(...callerSays)
const app = await createApp(readConfig(process.env), { ai: engines.ai, network: { dnsServers: ['127.0.0.1:9'] } })
await app.start()
process.stdout.write('ready \n')
