import { createPrivateKey, X509Certificate } from 'node:crypto'
import { existsSync, readFileSync, statfsSync } from 'node:fs'
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import path from 'node:path'
import { type Config, readConfigOfData } from '../config.ts'
import { createMediaProcess } from '../drivers/media-process.ts'
import { day, systemClock } from '../lib/clock.ts'
import { createLog } from '../lib/log.ts'
import { isPublicAddress } from '../lib/public-url.ts'
import { isServerRunning } from './administer.ts'
import type { CommandResult } from './command.ts'
import { type DoctorFinding, tried } from './doctor-finding.ts'
import { hasLineNodes, isLineNodeRunning, type PortUsers, portFindings, rtpFinding } from './doctor-ports.ts'
import {
  databaseClock,
  mailFinding,
  publicUrlFindings,
  storageFinding,
  storeFindings,
  turnFinding,
} from './doctor-services.ts'
import { speechFinding } from './doctor-speech.ts'

/**
 * Tries what the service needs, as it would use it, and reports how to resolve problems. It changes nothing: files that it
 * writes and relays that it allocates are removed again.
 */
export async function examine(): Promise<CommandResult> {
  const config = readConfigOfData()
  const isRunning = await isServerRunning(config.dataDir)
  const users: PortUsers = { server: isRunning, lineNode: await isLineNodeRunning(config) }
  const findings = [
    ...(await storeFindings(config, isRunning)),
    await storageFinding(config),
    await mailFinding(config),
    ...(await publicUrlFindings(config, isRunning)),
    ...(await portFindings(config, users)),
    ...(hasLineNodes(config) ? [await rtpFinding(config, users)] : []),
    addresses(config),
    microphone(config),
    await turnFinding(config),
    ...(await certificates(config)),
    disk(config),
    clockOf(),
    ...(await databaseClock(config)),
    ...(hasLineNodes(config) ? [await media(config, users)] : []),
    await speechFinding(config),
  ]
  const mark = { fine: 'ok   ', look: 'warn ', wrong: 'ERROR' }
  const text = findings.map(({ about, state, says }) => `${mark[state]}  ${about}: ${says}`).join('\n')
  const wrong = findings.filter(({ state }) => state === 'wrong').length
  if (wrong > 0) process.exitCode = 1
  const summary = wrong === 0 ? 'No errors found.' : `${wrong} of ${findings.length} checks failed.`
  return { text: `${text}\n\n${summary}`, json: { findings } }
}

function addresses({ voice: { sip } }: Config): DoctorFinding {
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

function microphone({ links }: Config): DoctorFinding {
  const isSafe = links.dashboard.startsWith('https:') || /^http:\/\/(127\.0\.0\.1|localhost)\b/.test(links.dashboard)
  return isSafe
    ? { about: 'Microphone', state: 'fine', says: `browsers allow access for ${links.dashboard}` }
    : { about: 'Microphone', state: 'wrong', says: `browsers deny access for ${links.dashboard}: use HTTPS` }
}

/** HTTPS and SIP over TLS use the same certificate. */
async function certificates({ tls, links, voice: { sip } }: Config): Promise<DoctorFinding[]> {
  if (!tls) return []
  const about = 'Certificate'
  const hosts = new Set([new URL(links.api).hostname, ...(sip.host === undefined ? [] : [sip.host])])
  return [
    await tried(about, 'TLS_CERT and TLS_KEY must be readable PEM files', async () => {
      const found = new X509Certificate(readFileSync(tls.certFile))
      const wrong = (says: string): DoctorFinding => ({ about, state: 'wrong', says })
      if (!found.checkPrivateKey(createPrivateKey(readFileSync(tls.keyFile)))) {
        return wrong('TLS_KEY is not the key of TLS_CERT; set both to files of the same certificate')
      }
      const missing = [...hosts].filter((host) => (isIP(host) === 0 ? !found.checkHost(host) : !found.checkIP(host)))
      if (missing.length > 0) {
        return wrong(
          `is not for ${missing.join(' and ')}; carriers, devices and browsers refuse it: issue one with that name`,
        )
      }
      const days = Math.floor((Date.parse(found.validTo) - systemClock().machineNow()) / day)
      if (days < 0) return wrong('has expired; renew it')
      const says = `HTTPS and SIP over TLS: valid for ${days} days`
      return days < 14 ? { about, state: 'look', says: `${says}; renew it` } : says
    }),
  ]
}

function disk({ dataDir }: Config): DoctorFinding {
  const { bavail, blocks, bsize } = statfsSync(existingParent(dataDir))
  const free = (bavail * bsize) / 1e9
  const says = `${free.toFixed(1)} GB free, about ${Math.floor((free * 1_000) / 22)} hours of recordings`
  if (bavail / blocks >= 0.05) return { about: 'Disk', state: 'fine', says }
  return { about: 'Disk', state: 'wrong', says: `${says}; free space, or shorten the retention periods` }
}

const existingParent = (folder: string): string => (existsSync(folder) ? folder : existingParent(path.dirname(folder)))

function clockOf(): DoctorFinding {
  const now = new Date(systemClock().machineNow())
  return { about: 'Clock', state: 'fine', says: `${now.toISOString()}; compare it with a reliable time source` }
}

/** Not tested while a service is running: it uses the port. */
async function media(config: Config, users: PortUsers): Promise<DoctorFinding> {
  const about = 'Media process'
  if (users.server || users.lineNode) return { about, state: 'fine', says: 'not tested, the service is running' }
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
