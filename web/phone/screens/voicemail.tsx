import { Voicemails } from './to-do.tsx'

export default Voicemails
