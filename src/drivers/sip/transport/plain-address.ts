/** The IPv4 address of an IPv4-mapped one, as dual-stack sockets report it. */
export const plainAddress = (address: string) => (address.startsWith('::ffff:') ? address.slice(7) : address)
