import { randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

// Requests that the process makes to its own routes on behalf of a request that has passed the HTTPS check.

const name = 'x-hookswitch-internal'
const secret = randomBytes(32).toString('base64url')

export const internalRequest = { [name]: secret }

export const isInternalRequest = (headers: IncomingHttpHeaders): boolean => headers[name] === secret
