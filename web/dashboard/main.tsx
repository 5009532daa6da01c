import { Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { RouterProvider } from 'react-router'
import { lazyPart } from '../kit/load.ts'
import { SignedIn } from '../kit/session.tsx'
import { Providers } from '../kit/ui/providers.tsx'
import { router } from './router.tsx'

const Download = lazyPart(() => import('./download.tsx'))
/** Anybody may open it, signed in or not. */
const isDownload = /^\/download\/?$/.test(window.location.pathname)

const place = document.getElementById('app')
if (!place) throw new Error('the page has a place for the app')
createRoot(place).render(
  <Providers>
    {isDownload ? (
      <Suspense>
        <Download />
      </Suspense>
    ) : (
      <SignedIn app="dashboard">
        <RouterProvider router={router} />
      </SignedIn>
    )}
  </Providers>,
)
