/* dates: a day as people write it, to ISO 8601. */
#include "data/tasks/task_dates.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* None can be read in two ways: where the month is a number, the year leads (slashes, dashes, none)
 * or the dots say that the day does, as in German. */
const DateForm date_forms[DATE_FORMS] = {
    {DATE_ENGLISH, "%e %B %Y"},      /* 3 May 2021 */
    {DATE_ENGLISH, "%e %b %Y"},      /* 3 Sep 2021 */
    {DATE_ENGLISH, "%B %e, %Y"},     /* May 3, 2021 */
    {DATE_ENGLISH, "%b %e, %Y"},     /* Sep 3, 2021 */
    {DATE_ENGLISH, "%B %o, %Y"},     /* May 3rd, 2021 */
    {DATE_ENGLISH, "%o of %B %Y"},   /* 3rd of May 2021 */
    {DATE_ENGLISH, "%A, %e %B %Y"},  /* Monday, 3 May 2021 */
    {DATE_ENGLISH, "%A, %B %e, %Y"}, /* Monday, May 3, 2021 */
    {DATE_ENGLISH, "%a %e %b %Y"},   /* Mon 3 May 2021 */
    {DATE_ENGLISH, "%d-%b-%Y"},      /* 03-May-2021 */
    {DATE_ENGLISH, "%Y %B %e"},      /* 2021 May 3 */
    {DATE_GERMAN, "%e. %B %Y"},      /* 3. Mai 2021 */
    {DATE_GERMAN, "%A, %e. %B %Y"},  /* Montag, 3. Mai 2021 */
    {DATE_GERMAN, "%a., %e. %B %Y"}, /* Mo., 3. Mai 2021 */
    {DATE_GERMAN, "%d.%m.%Y"},       /* 03.05.2021 */
    {DATE_GERMAN, "%e.%n.%Y"},       /* 3.5.2021 */
    {DATE_ENGLISH, "%Y/%m/%d"},      /* 2021/05/03 */
    {DATE_ENGLISH, "%Y%m%d"},        /* 20210503 */
    {DATE_ENGLISH, "%Y-%m-%d"},      /* 2021-05-03 */
};

static const char *const month_names[2][12] = {
    {"January", "February", "March", "April", "May", "June", "July", "August", "September",
     "October", "November", "December"},
    {"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober",
     "November", "Dezember"},
};

static const char *const weekday_names[2][7] = {
    {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"},
    {"Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"},
};

static bool is_leap(int year) {
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int month_days(int year, int month) {
    static const signed char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && is_leap(year));
}

Date date_after(uint32_t days) {
    Date date = {.year = DATES_FIRST_YEAR, .month = 1, .weekday = (int)(days % 7)};
    int left = (int)days;
    for (int length; left >= (length = 365 + is_leap(date.year)); date.year++)
        left -= length;
    for (int length; left >= (length = month_days(date.year, date.month)); date.month++)
        left -= length;
    date.day = left + 1;
    return date;
}

static const char *ordinal_suffix(int day) {
    if (day / 10 == 1) return "th";
    return day % 10 == 1 ? "st" : day % 10 == 2 ? "nd" : day % 10 == 3 ? "rd" : "th";
}

/* Writes one part of a date at the end of `text`. */
static void write_part(const DateForm *form, char part, Date date, char *text, size_t size) {
    const char *month = month_names[form->language][date.month - 1];
    const char *weekday = weekday_names[form->language][date.weekday];
    switch (part) {
    case 'e':
        snprintf(text, size, "%d", date.day);
        break;
    case 'd':
        snprintf(text, size, "%02d", date.day);
        break;
    case 'o':
        snprintf(text, size, "%d%s", date.day, ordinal_suffix(date.day));
        break;
    case 'n':
        snprintf(text, size, "%d", date.month);
        break;
    case 'm':
        snprintf(text, size, "%02d", date.month);
        break;
    case 'B':
        snprintf(text, size, "%s", month);
        break;
    case 'b':
        snprintf(text, size, "%.3s", month);
        break;
    case 'Y':
        snprintf(text, size, "%d", date.year);
        break;
    case 'A':
        snprintf(text, size, "%s", weekday);
        break;
    case 'a':
        snprintf(text, size, "%.*s", form->language == DATE_GERMAN ? 2 : 3, weekday);
        break;
    }
}

void date_write(const DateForm *form, Date date, char text[TASK_TEXT_SIZE]) {
    size_t used = 0;
    for (const char *at = form->format; *at; at++) {
        if (*at == '%')
            write_part(form, *++at, date, text + used, TASK_TEXT_SIZE - used);
        else
            snprintf(text + used, TASK_TEXT_SIZE - used, "%c", *at);
        used += strlen(text + used);
    }
}

/* Every day and every form alike. */
static void make_dates(Rng *rng, TaskExample *example) {
    static const DateForm iso = {DATE_ENGLISH, "%Y-%m-%d"};
    Date date = date_after(rng_below(rng, DATES_DAYS));
    date_write(&date_forms[rng_below(rng, DATE_FORMS)], date, example->source);
    date_write(&iso, date, example->target);
}

#define TEXT_OF(number)       #number
#define TEXT_OF_VALUE(number) TEXT_OF(number)
#define FORM_COUNT            TEXT_OF_VALUE(DATE_FORMS)

const Task task_dates = {
    .name = "dates",
    .help = "writes a date in ISO form: 3 May 2021 becomes 2021-05-03; " FORM_COUNT
            " forms, English and German, 1900 to 2099",
    .sample = "3 May 2021",
    .source_characters = " ,-./0123456789ADFJMNOSTWabcdefghiklmnoprstuvwyzä",
    .target_characters = "0123456789-",
    .max_source = 30,
    .max_target = 10,
    .steps = 3500,
    .learning_rate = 0.002,
    .make = make_dates,
};
