/* Preloaded into hooks: the clock of the calendar shows LOOPBREAK_CLOCK_OFFSET seconds more, or less. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long long offset(void)
{
	const char *text = getenv("LOOPBREAK_CLOCK_OFFSET");
	return text ? atoll(text) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
	long failed = syscall(SYS_clock_gettime, clock, time);
	if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
		time->tv_sec += offset();
	return (int)failed;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone)
{
	long failed = syscall(SYS_gettimeofday, time, zone);
	if (!failed && time)
		time->tv_sec += offset();
	return (int)failed;
}

time_t time(time_t *result)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	if (result)
		*result = now.tv_sec;
	return now.tv_sec;
}
