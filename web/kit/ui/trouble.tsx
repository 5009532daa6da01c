export { ErrorAlert as Trouble, errorMessage as inWords } from './error-alert.tsx'
