import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { createServer, type Server } from 'node:tls'
import { type Cancel, type Clock, minute } from '../../../lib/clock.ts'
import type { Log } from '../../../lib/log.ts'

interface CertificateFiles {
  certFile: string
  keyFile: string
}

const pollMs = minute

/** A TLS server whose certificate is replaced when its files change. */
export function createTlsListener(
  { clock, log }: { clock: Clock; log: Log },
  files: CertificateFiles,
  accept: (socket: Socket) => void,
): { server: Server; stopRenewing: Cancel } {
  let known = readCertificate(files)
  const server = createServer({ ...known, minVersion: 'TLSv1.2' }, accept)
  let cancel = clock.machineAfter(pollMs, poll)

  /**
   * Certificates are renewed on the disk every few weeks. Polling works on every file system, and if only one of the two
   * files has been written so far, the next poll finds both.
   */
  function poll(): void {
    try {
      renew()
    } catch (error) {
      log.warn({ event: 'sip.certificate_invalid', error }, 'renewed certificate is invalid: the previous one stays')
    }
    cancel = clock.machineAfter(pollMs, poll)
  }

  function renew(): void {
    const found = readCertificate(files)
    if (found.cert.equals(known.cert) && found.key.equals(known.key)) return
    server.setSecureContext({ ...found, minVersion: 'TLSv1.2' })
    known = found
    log.info({ event: 'sip.certificate_renewed' }, 'SIP over TLS uses a renewed certificate')
  }

  return { server, stopRenewing: () => cancel() }
}

const readCertificate = ({ certFile, keyFile }: CertificateFiles) => ({
  cert: readFileSync(certFile),
  key: readFileSync(keyFile),
})
