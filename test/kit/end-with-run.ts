// A worker whose run was killed must not go on for minutes on its own. Each of its files loads this anew.
const isNew = process.listenerCount('disconnect') === 0
if (isNew) process.once('disconnect', () => process.exit(1))
