import { connect } from 'node:net'
import { connectWithSharedKey } from '../../lib/shared-key-tls.ts'
import { sharedKeyIdentity } from '../../line-node/protocol.ts'
import type { connectToNode } from './connection.ts'

/** Where a line node is. */
export interface NodeTarget extends Pick<Parameters<typeof connectToNode>[0], 'open'> {
  id: string
  /** On another host: it does not share the data folder. */
  isRemote: boolean
  /** Starts the program; absent for a node that runs as a service elsewhere. */
  launch?: () => void
}

/** A node of this machine. */
export const localNode = (id: string, socketFile: string, launch: () => void): NodeTarget => ({
  id,
  isRemote: false,
  open: openLocal(socketFile),
  launch,
})

export const openLocal = (socketFile: string) => () => ({ stream: connect(socketFile), event: 'connect' as const })

export const remoteNode = (id: string, address: { host: string; port: number }, secret: string): NodeTarget => ({
  id,
  isRemote: true,
  open: () => ({ stream: connectWithSharedKey(secret, sharedKeyIdentity, address), event: 'secureConnect' as const }),
})
