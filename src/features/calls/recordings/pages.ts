import path from 'node:path'
import { readableSince } from '../../../domain/call/history.ts'
import type { Caller } from '../../../http/caller.ts'
import { ApiError, forbidden, notFound, tooManyRequests } from '../../../http/errors.ts'
import { type Html, type PageRequest, pageAt } from '../../../http/page-at.ts'
import type { Page } from '../../../http/server.ts'
import type { AudioResponse } from '../../../http/sound.ts'
import { Throttle } from '../../../lib/throttle.ts'
import type { Services } from '../../../services.ts'
import { maySeeAll, userIdOf } from '../../accounts/index.ts'
import type { CallAudioKind } from '../calls/store.ts'
import { findCall, isCallOfUser } from '../calls/store.ts'
import { signedUrl, verifySignedUrl } from './links.ts'
import { createPlaybackAudit, type PlaybackAudit, type Wanted } from './playback-audit.ts'
import { findRecordedCall, findShortUrl } from './store.ts'
import { playerPage, recordingErrorPage, signInPage } from './view.ts'

// Serves recordings and voicemails: the file by signed or short URL, without credentials, and the page in the field
// `asset` of a call.

export function assetPages(services: Services): Page[] {
  const misses = new Throttle(services.clock)
  const playbackAudit = createPlaybackAudit(services)
  return [
    pageAt('/media/*', (asked) => signedSound(services, playbackAudit, asked), changedLink),
    pageAt(shortAddress, (asked) => shortSound(services, playbackAudit, misses, asked)),
    ...pageAddresses.map(([address, kind]) =>
      pageAt(address, (asked) => soundPage(services, playbackAudit, kind, asked)),
    ),
  ]
}

const hex = '[0-9a-fA-F]'
const shortAddress = `/v1/:uuid(^${hex}{8}-${hex}{4}-${hex}{4}-${hex}{4}-${hex}{12}$)`

const pageAddresses: [address: string, kind: CallAudioKind][] = [
  ['/recording/:call_id', 'recording'],
  ['/calls/:call_id/recording', 'recording'],
  ['/calls/:call_id/recording/info', 'recording'],
  ['/voicemail/:call_id', 'voicemail'],
  ['/calls/:call_id/voicemail', 'voicemail'],
]

const changedLink = () => forbidden('The link has expired or is invalid; read the call again to get a new one')

async function signedSound(services: Services, audit: PlaybackAudit, asked: PageRequest): Promise<AudioResponse> {
  const { vault, links, clock } = services
  const link = verifySignedUrl(vault, links, asked, clock.now())
  if (!link) throw changedLink()
  const sound = await findSound(services, link)
  // The file was replaced.
  if (path.basename(sound.file) !== link.file) throw notFound()
  await audit.loaded(asked, link)
  return sound
}

/** Serves the file without a redirect: a player that was paused for two hours can continue. */
async function shortSound(
  services: Services,
  audit: PlaybackAudit,
  misses: Throttle,
  asked: PageRequest,
): Promise<AudioResponse> {
  const { ip, params } = asked
  const attempt = await misses.attempt<Wanted>(ip, shortAddress, async () => {
    const link = await findShortUrl(services.db, params.uuid ?? '', services.clock.now())
    return link ? { kind: 'valid', value: link } : { kind: 'invalid' }
  })
  if (attempt.kind === 'blocked')
    throw tooManyRequests(
      'Too many unknown links from your address; wait before you try again',
      attempt.retryAfterSeconds,
    )
  if (attempt.kind !== 'valid') throw notFound()
  const sound = await findSound(services, attempt.value)
  await audit.loaded(asked, attempt.value)
  return sound
}

/** Only while the call has the file and is readable: a deleted file is gone for every URL. */
async function findSound(
  services: Services,
  { companyId, callId, kind }: Wanted,
): Promise<AudioResponse & { file: string }> {
  const { db, clock, files } = services
  const call = await findRecordedCall(db, companyId, callId, readableSince(clock.now()))
  const file = call?.audio[kind]?.file
  const size = file && (await files.size(file))
  if (!file || !size) throw notFound()
  return { file, size, name: `${kind}-${callId}.mp3`, read: (range) => files.read(file, range) }
}

async function soundPage(
  services: Services,
  audit: PlaybackAudit,
  kind: CallAudioKind,
  asked: PageRequest,
): Promise<Html> {
  const { db, clock, links, vault } = services
  try {
    const caller = asked.isSigned ? await asked.identify() : await asked.signedIn()
    if (!caller) return signInPage(`${links.dashboard}/sign-in?next=${encodeURIComponent(asked.url)}`)
    const { companyId } = caller
    const id = asked.params.call_id ?? ''
    const callId = /^[1-9]\d{0,14}$/.test(id) ? Number(id) : 0
    const call = await findRecordedCall(db, companyId, callId, readableSince(clock.now()))
    const sound = call?.audio[kind]
    if (!call || !sound) throw notFound()
    await mayPlay(services, caller, callId)
    await audit.opened(caller, { companyId, kind, callId }, asked.ip)
    const source = signedUrl(vault, links, { companyId, callId, kind, file: sound.file, at: clock.now() })
    return playerPage({ call, kind, ms: sound.ms, source })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return recordingErrorPage(error)
  }
}

/** Agents play their own calls; owners, admins and supervisors all calls. */
async function mayPlay({ db }: Services, caller: Caller, callId: number): Promise<void> {
  const person = maySeeAll(caller) ? null : userIdOf(caller)
  if (person === null) return
  const call = await findCall(db, caller.companyId, callId)
  if (!call || !(await isCallOfUser(db, caller.companyId, call, person))) {
    throw forbidden('This call belongs to another agent; ask a supervisor')
  }
}
