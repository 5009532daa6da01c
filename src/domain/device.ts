/** The realm of devices' credentials. Part of the stored digest hashes: it never changes. */
export const deviceRealm = 'hookswitch'
