import { readFileSync, unwatchFile, watchFile } from 'node:fs'
import type { FastifyInstance } from 'fastify'

export interface TlsFiles {
  certFile: string
  keyFile: string
}

export const readTlsFiles = ({ certFile, keyFile }: TlsFiles) => ({
  cert: readFileSync(certFile),
  key: readFileSync(keyFile),
  minVersion: 'TLSv1.2' as const,
})

/** A renewed certificate applies to new connections; an invalid one is ignored and the old one stays in use. */
export function keepTlsFresh(server: FastifyInstance, tls: TlsFiles, failed: (error: unknown) => void) {
  const reload = () => {
    try {
      if ('setSecureContext' in server.server) {
        const secure = server.server as unknown as { setSecureContext(options: object): void }
        secure.setSecureContext(readTlsFiles(tls))
      }
    } catch (error) {
      failed(error)
    }
  }
  for (const file of [tls.certFile, tls.keyFile]) watchFile(file, { interval: 2_000, persistent: false }, reload)
  server.addHook('onClose', async () => {
    for (const file of [tls.certFile, tls.keyFile]) unwatchFile(file, reload)
  })
}
