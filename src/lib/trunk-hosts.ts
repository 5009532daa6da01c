import { isIP } from 'node:net'
import type { AddressPolicy } from './address-policy.ts'
import { isLoopbackHost, isPublicHost, plainHost } from './public-url.ts'

/** Which hosts the trunk of a company may have: the same as the address of a webhook. The operator's are not restricted. */
export interface TrunkHosts {
  /** By its form; a name is judged again by every address that it resolves to. */
  flawOf(host: string): string | undefined
  admits(address: string): boolean
}

interface Options {
  /** False where the company runs the installation itself. */
  isRestricted: boolean
  loopback: boolean
  policy: Pick<AddressPolicy, 'admits'>
}

export function createTrunkHosts({ isRestricted, loopback, policy }: Options): TrunkHosts {
  const admits = (address: string) => !isRestricted || (loopback && isLoopbackHost(address)) || policy.admits(address)
  return {
    admits,
    flawOf(text) {
      const host = plainHost(text)
      if (!isRestricted || (loopback && isLoopbackHost(host))) return undefined
      const fits = isIP(host) === 0 ? isPublicHost(host) : admits(host)
      return fits ? undefined : flaw
    },
  }
}

const flaw =
  '`host` must be a public host. A trunk to a private network is added by the operator with `hookswitch trunks add`, or its range is allowed with WEBHOOK_ALLOW_CIDRS'
