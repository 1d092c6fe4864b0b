/** Builds the frontend into the Django package, so a wheel carries it; Django's template reads the manifest. */
import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  base: '/static/app/',
  plugins: [react(), tailwindcss()],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  build: {
    outDir: '../backend/project/web/app',
    emptyOutDir: true,
    manifest: true,
    // Nothing inlined as data: the page's policy takes fonts from our own origin only.
    assetsInlineLimit: 0,
    target: 'es2023',
    rollupOptions: { input: 'src/main.tsx' },
  },
  server: {
    host: '127.0.0.1',
    proxy: { '/api': 'http://127.0.0.1:8000', '/_allauth': 'http://127.0.0.1:8000' },
  },
})
