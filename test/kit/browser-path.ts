import { existsSync } from 'node:fs'

/** Common install locations. */
const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
export const chromiumPath = () => places.find((place) => existsSync(place)) ?? null
