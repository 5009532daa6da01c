import path from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const here = import.meta.dirname

// Two pages, one build: what both use is loaded once.
export default defineConfig({
  root: here,
  base: '/web/',
  plugins: [react()],
  build: {
    outDir: path.join(here, '..', 'dist', 'web'),
    emptyOutDir: true,
    target: 'es2022',
    // These know light-dark(). What replaces it for older ones does not work in a variable: the lines of a flow were gone.
    cssTarget: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    rollupOptions: {
      input: { dashboard: path.join(here, 'dashboard/index.html'), phone: path.join(here, 'phone/index.html') },
    },
    // Inlined files would be data: addresses, which the pages' policy forbids.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
  },
})
