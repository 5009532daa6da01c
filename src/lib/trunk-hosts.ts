import { isIP } from 'node:net'
import type { AddressPolicy } from './address-policy.ts'
import { isLoopbackHost, isPublicHost, plainHost } from './public-url.ts'

/** Which hosts a trunk of a company may use: the same as a webhook URL. Trunks of the operator are not restricted. */
export interface TrunkHosts {
  /** By form; a host name is checked again with every address it resolves to. */
  hostProblem(host: string): string | undefined
  admits(address: string): boolean
}

interface Options {
  /** False where the company operates the installation itself. */
  isRestricted: boolean
  loopback: boolean
  policy: Pick<AddressPolicy, 'admits'>
}

export function createTrunkHosts({ isRestricted, loopback, policy }: Options): TrunkHosts {
  const admits = (address: string) => !isRestricted || (loopback && isLoopbackHost(address)) || policy.admits(address)
  return {
    admits,
    hostProblem(text) {
      const host = plainHost(text)
      if (!isRestricted || (loopback && isLoopbackHost(host))) return undefined
      const fits = isIP(host) === 0 ? isPublicHost(host) : admits(host)
      return fits ? undefined : problem
    },
  }
}

const problem =
  '`host` must be a public host. A trunk to a private network is added by the operator with `hookswitch trunks add`, or its range is allowed with WEBHOOK_ALLOW_CIDRS'
