import { X509Certificate } from 'node:crypto'
import { readFileSync, statfsSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import path from 'node:path'
import { type Config, readConfigOfData } from '../config.ts'
import { createMediaProcess } from '../drivers/media-process.ts'
import { findModels } from '../intelligence/models.ts'
import { day, systemClock } from '../lib/clock.ts'
import { createLog } from '../lib/log.ts'
import { tcpProblem, udpProblem } from '../lib/port-problem.ts'
import { isPublicAddress } from '../lib/public-url.ts'
import { isServerRunning } from './administer.ts'
import type { CommandResult } from './command.ts'

/** Printed by `--json`: the field names are kept for compatibility. */
interface Finding {
  about: string
  state: 'fine' | 'look' | 'wrong'
  says: string
}

/** Checks the requirements for real calls and reports how to resolve problems. Read-only. */
export async function examine(): Promise<CommandResult> {
  const config = readConfigOfData()
  const isRunning = await isServerRunning(config.dataDir)
  const findings = [
    ...(await ports(config, isRunning)),
    addresses(config),
    ...browsers(config),
    ...certificate(config),
    disk(config),
    clockOf(),
    await media(config, isRunning),
    await speech(config),
  ]
  const mark = { fine: 'ok   ', look: 'warn ', wrong: 'ERROR' }
  const text = findings.map(({ about, state, says }) => `${mark[state]}  ${about}: ${says}`).join('\n')
  const wrong = findings.filter(({ state }) => state === 'wrong').length
  const summary = wrong === 0 ? 'No errors found.' : `${wrong} of ${findings.length} checks failed.`
  return { text: `${text}\n\n${summary}`, json: { findings } }
}

async function ports({ voice: { sip, rtp } }: Config, isRunning: boolean): Promise<Finding[]> {
  const wanted = [
    { about: `UDP ${sip.port}`, problem: () => udpProblem(sip.bind, sip.port), name: 'SIP_PORT' },
    { about: `TCP ${sip.port}`, problem: () => tcpProblem(sip.bind, sip.port), name: 'SIP_PORT' },
    { about: `UDP ${rtp.browserPort}`, problem: () => udpProblem(sip.bind, rtp.browserPort), name: 'RTP_BROWSER_PORT' },
    { about: `UDP ${rtp.from}`, problem: () => udpProblem(sip.bind, rtp.from), name: 'RTP_PORTS' },
  ]
  return Promise.all(
    wanted.map(async ({ about, problem: look, name }): Promise<Finding> => {
      const problem = await look()
      if (problem === undefined) return { about, state: 'fine', says: `free on ${sip.bind}` }
      if (isRunning && problem === 'EADDRINUSE') return { about, state: 'fine', says: 'in use by the running service' }
      return {
        about,
        state: 'wrong',
        says: `cannot be opened (${problem}); stop the process that uses it, or change ${name}`,
      }
    }),
  )
}

function addresses({ voice: { sip } }: Config): Finding {
  const about = 'Address'
  if (sip.publicIp !== undefined) {
    return isPublicAddress(sip.publicIp)
      ? { about, state: 'fine', says: `${sip.publicIp} is announced to carriers` }
      : {
          about,
          state: 'look',
          says: `SIP_PUBLIC_IP ${sip.publicIp} is private: carriers on the internet cannot reach it`,
        }
  }
  const own = Object.values(networkInterfaces()).flatMap((all) => all ?? [])
  const outward = own.find(({ internal, address }) => !internal && isPublicAddress(address))
  if (outward && ['0.0.0.0', '::', outward.address].includes(sip.bind)) {
    return { about, state: 'fine', says: `this server has the public address ${outward.address}` }
  }
  return {
    about,
    state: 'look',
    says: `${sip.bind} is not reachable from the internet; behind NAT set SIP_BIND to the local address and SIP_PUBLIC_IP to the public address of the router`,
  }
}

function browsers({ links, voice: { turn } }: Config): Finding[] {
  const isSafe = links.dashboard.startsWith('https:') || /^http:\/\/(127\.0\.0\.1|localhost)\b/.test(links.dashboard)
  return [
    isSafe
      ? { about: 'Microphone', state: 'fine', says: `browsers allow access for ${links.dashboard}` }
      : { about: 'Microphone', state: 'wrong', says: `browsers deny access for ${links.dashboard}: use HTTPS` },
    turn
      ? { about: 'TURN', state: 'fine', says: turn.url }
      : { about: 'TURN', state: 'look', says: 'not configured; users behind strict firewalls may have no audio' },
  ]
}

function certificate({ tls }: Config): Finding[] {
  if (!tls) return []
  const until = Date.parse(new X509Certificate(readFileSync(tls.certFile)).validTo)
  const days = Math.floor((until - systemClock().machineNow()) / day)
  const says = days < 0 ? 'has expired' : `is valid for ${days} days`
  return [{ about: 'Certificate', state: days < 0 ? 'wrong' : days < 14 ? 'look' : 'fine', says }]
}

function disk({ dataDir }: Config): Finding {
  const { bavail, blocks, bsize } = statfsSync(dataDir)
  const free = (bavail * bsize) / 1e9
  const says = `${free.toFixed(1)} GB free, about ${Math.floor((free * 1_000) / 22)} hours of recordings`
  return { about: 'Disk', state: bavail / blocks < 0.05 ? 'wrong' : 'fine', says }
}

function clockOf(): Finding {
  const now = new Date(systemClock().machineNow())
  return { about: 'Clock', state: 'fine', says: `${now.toISOString()}; compare it with a reliable time source` }
}

async function speech({ modelsDir }: Config): Promise<Finding> {
  const about = 'Speech-to-text'
  const { moonshine, whispers } = await findModels(modelsDir)
  const [whisper] = whispers
  if (whisper)
    return { about, state: 'fine', says: `Whisper ${whisper}${moonshine ? ', live transcription in English' : ''}` }
  if (moonshine) return { about, state: 'fine', says: 'Moonshine (English)' }
  return { about, state: 'look', says: 'no models installed; run `hookswitch models fetch`' }
}

/** Not tested while a service is running: it uses the port. */
async function media(config: Config, isRunning: boolean): Promise<Finding> {
  const about = 'Media process'
  if (isRunning) return { about, state: 'fine', says: 'not tested, the service is running' }
  const { sip, rtp } = config.voice
  const program = createMediaProcess({
    clock: systemClock(),
    log: createLog('silent'),
    options: {
      bindAddress: sip.bind,
      publicAddress: rtp.publicIp ?? null,
      trunkPorts: [rtp.from, rtp.to],
      browserPort: rtp.browserPort,
      recordingsFolder: path.join(config.dataDir, 'recordings'),
      maxLegs: 1,
      lagAlarmMs: 60,
      rtpTimeoutMs: 0,
    },
  })
  try {
    await program.start()
    const { memoryMb } = await program.request('stats', {})
    return { about, state: 'fine', says: `starts, ${Math.round(memoryMb)} MB` }
  } catch (error) {
    return { about, state: 'wrong', says: `does not start (${error instanceof Error ? error.message : 'unknown'})` }
  } finally {
    await program.stop()
  }
}
