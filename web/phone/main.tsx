import { createRoot } from 'react-dom/client'
import { SignedIn } from '../kit/session.tsx'
import { Providers } from '../kit/ui/providers.tsx'
import { Phone } from './phone.tsx'

const place = document.getElementById('app')
if (!place) throw new Error('the page has a place for the app')
createRoot(place).render(
  <Providers>
    <SignedIn app="phone">
      <Phone />
    </SignedIn>
  </Providers>,
)
