import path from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const here = import.meta.dirname

// One build with two entry points, so that the apps share chunks.
export default defineConfig({
  root: here,
  base: '/web/',
  plugins: [react()],
  build: {
    outDir: path.join(here, '..', 'dist', 'web'),
    emptyOutDir: true,
    target: 'es2022',
    // Browsers that support light-dark(): its fallback for older ones does not work inside custom properties.
    cssTarget: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    rollupOptions: {
      input: { dashboard: path.join(here, 'dashboard/index.html'), phone: path.join(here, 'phone/index.html') },
      // Icons and components that many pages share, in one file each: a file of 300 bytes has 450 bytes of headers.
      output: {
        codeSplitting: {
          groups: [
            { name: 'icons', test: /@tabler\/icons-react/, priority: 2 },
            { name: 'components', test: /node_modules\/(@mantine|@floating-ui)\//, minShareCount: 14, priority: 1 },
          ],
        },
      },
    },
    // Inlined files would be data: URLs, which the Content Security Policy forbids.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
  },
})
