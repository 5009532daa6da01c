// Workers must not outlive a killed run. Every file loads this.
const isNew = process.listenerCount('disconnect') === 0
if (isNew) process.once('disconnect', () => process.exit(1))
